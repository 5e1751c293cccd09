import {cpSync} from "node:fs"
import {type StorePaths, storePaths} from "../../../server/workroom/store/segments.ts"
import {memoryFolder} from "../../support/machine/folders.ts"
import {filePlace, fill} from "../../support/workroom/workroom.ts"

/** A store with this number of records, as a killed process leaves it: its Catalog is behind. */
export const killedStore = async (records: number, segmentSize: number): Promise<StorePaths> => {
  const place = filePlace({segmentSize})
  await fill(await place.open(), records)
  const folder = memoryFolder()
  cpSync(place.folder, folder, {recursive: true})
  return storePaths(folder)
}
