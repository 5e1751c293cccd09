import {readNumber} from "../engine/cells.ts"
import type {Reader} from "../engine/engine.ts"

/** SQL for the number of the newest stored group of batches. */
export const newestGroup = "(SELECT number FROM svc_group WHERE id = 1)"

export const readNewestGroup = (database: Reader): Promise<number> => readNumber(database, `SELECT ${newestGroup} AS n`)
