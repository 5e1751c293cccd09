import {toJson} from "../../shared/json.ts"
import type {ConfigText} from "../config/load.ts"
import {readJsonIfExists, writeFileAtomic} from "../runtime/files.ts"
import type {Generation, Pin} from "./generation.ts"

/** What `.svc/generation.json` holds of the generation that was committed last: what is needed where the database is not reached. */
export interface LastCommitted {
  readonly number: number
  /** The configuration that ran instead of the file's, with `${NAME}` unexpanded; undefined where none was pinned. */
  readonly pinned?: ConfigText & Pin
}

export const writeLastCommitted = (path: string, {number, config}: Generation, pin: Pin | undefined): Promise<void> => {
  const pinned = pin && {...pin, file: `generation ${pin.number}`, text: config.text, sha256: config.sha256}
  return writeFileAtomic(path, toJson({number, ...(pinned === undefined ? {} : {pinned})}))
}

/** Undefined where none was committed yet, and where the file does not hold it. */
export const readLastCommitted = async (path: string): Promise<LastCommitted | undefined> => {
  const record = await readJsonIfExists(path).catch(() => undefined)
  if (typeof record !== "object" || record === null || !("number" in record)) return undefined
  return Number.isSafeInteger(record.number) ? (record as LastCommitted) : undefined
}

/** The configuration that runs instead of the file's, while the file is the one that it was pinned for. */
export const pinFor = (last: LastCommitted | undefined, file: ConfigText): LastCommitted["pinned"] =>
  last?.pinned?.fileSha256 === file.sha256 ? last.pinned : undefined
