/* Preloaded into a process: each of its syncs takes SLOW_SYNC_MS milliseconds longer, as on a slow disk. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static int slowly(const char *name, int descriptor) {
  int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  int result = next(descriptor);
  const char *given = getenv("SLOW_SYNC_MS");
  long milliseconds = given ? atol(given) : 0;
  struct timespec pause = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  nanosleep(&pause, NULL);
  return result;
}

int fsync(int descriptor) { return slowly("fsync", descriptor); }
int fdatasync(int descriptor) { return slowly("fdatasync", descriptor); }
