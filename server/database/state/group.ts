import {readNumber} from "../engine/cells.ts"
import type {Reader} from "../engine/engine.ts"

/** SQL for the number of the newest stored group of batches. */
export const newestGroup = "(SELECT number FROM svc_group WHERE id = 1)"

/** Stores the number of a group, in its own batch. */
export const storingGroup = (number: number) => ({sql: "UPDATE svc_group SET number = ? WHERE id = 1", args: [number]})

export const readNewestGroup = (database: Reader): Promise<number> => readNumber(database, `SELECT ${newestGroup} AS n`)
