import {existsSync, mkdtempSync, rmSync} from "node:fs"
import {tmpdir} from "node:os"
import {join} from "node:path"
import {onTestFinished} from "vitest"

/** A folder for a database whose order of events is under test: in memory if the machine has a disk in memory. */
export const memoryFolder = (): string => {
  const made = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "svc-"))
  onTestFinished(() => rmSync(made, {recursive: true, force: true}))
  return made
}
