import {cpSync, existsSync, mkdtempSync, rmSync} from "node:fs"
import {tmpdir} from "node:os"
import {join} from "node:path"
import {onTestFinished} from "vitest"
import {type StorePaths, storePaths} from "../../../server/workroom/store/segments.ts"
import {filePlace, fill} from "../../support/workroom/workroom.ts"

/** A folder in memory if the machine has one: these tests open thousands of stores, and do not test the disk. */
export const scratch = (): string => {
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "svc-"))
  onTestFinished(() => rmSync(folder, {recursive: true, force: true}))
  return folder
}

/** A store with this number of records, as a killed process leaves it: its Catalog is behind. */
export const killedStore = async (records: number, segmentSize: number): Promise<StorePaths> => {
  const place = filePlace({segmentSize})
  await fill(await place.open(), records)
  const folder = scratch()
  cpSync(place.folder, folder, {recursive: true})
  return storePaths(folder)
}
