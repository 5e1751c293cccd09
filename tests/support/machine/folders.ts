import {existsSync, mkdtempSync, rmSync, statfsSync} from "node:fs"
import {freemem, tmpdir} from "node:os"
import {join} from "node:path"
import {whenOver} from "../host/shared.ts"

const memory = "/dev/shm"

/** The free memory that is required, in bytes: a container may have 64 MB. */
const plenty = 6e9

/**
 * Where to make folders for tens of thousands of files, of npm or of images, if the disk itself is not under test: in
 * memory if there is enough of it. A disk would take half of the system's time.
 */
export const roomyPlace = (): string => {
  if (!existsSync(memory)) return tmpdir()
  const {bavail, bsize} = statfsSync(memory)
  return Math.min(bavail * bsize, freemem()) > plenty ? memory : tmpdir()
}

/** An empty scratch folder, removed when the test ends. */
export const makeFolder = (place = tmpdir()): string => {
  const folder = mkdtempSync(join(place, "svc-"))
  whenOver(() => rmSync(folder, {recursive: true, force: true}))
  return folder
}

/** A scratch folder for small files, if the disk is not under test: in memory if the machine has a disk in memory. */
export const memoryFolder = (): string => makeFolder(existsSync(memory) ? memory : tmpdir())
