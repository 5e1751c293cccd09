import {toJson} from "../../shared/json.ts"
import type {ConfigText} from "../config/load.ts"
import {readJsonIfExists, writeFileAtomic} from "../runtime/files.ts"
import type {Generation, Pin} from "./generation.ts"

/**
 * The content of `.svc/generation.json`: the last generation that this folder committed. A start needs it if it cannot
 * reach the database, and to learn whether a Host has run elsewhere since.
 */
export interface LastCommitted {
  readonly number: number
  /** The configuration that ran instead of the file's, with `${NAME}` unexpanded; undefined without a pin. */
  readonly pinned?: ConfigText & Pin
}

export const writeLastCommitted = (path: string, {number, config}: Generation, pin: Pin | undefined): Promise<void> => {
  const pinned = pin && {...pin, file: `generation ${pin.number}`, text: config.text, sha256: config.sha256}
  return writeFileAtomic(path, toJson({number, ...(pinned === undefined ? {} : {pinned})}))
}

/** Reads the file. Undefined if no generation was committed yet, or if the file is not valid. */
export const readLastCommitted = async (path: string): Promise<LastCommitted | undefined> => {
  const record = await readJsonIfExists(path).catch(() => undefined)
  if (typeof record !== "object" || record === null || !("number" in record)) return undefined
  return Number.isSafeInteger(record.number) ? (record as LastCommitted) : undefined
}

/** Returns the configuration that runs instead of the file's, if the file is the one that the pin is for. */
export const pinFor = (last: LastCommitted | undefined, file: ConfigText): LastCommitted["pinned"] =>
  last?.pinned?.fileSha256 === file.sha256 ? last.pinned : undefined
