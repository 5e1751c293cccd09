import type {UserPartName, UserQuery} from "../../../shared/api/users/users.ts"
import {toJson} from "../../../shared/json.ts"
import {isProblem, type Problem} from "../../../shared/problems.ts"
import type {Static} from "../../../shared/type.ts"
import type {Database} from "../database.ts"
import {overwriting, type Purged, type Row, type Statement} from "../engine/engine.ts"

/** Replaces erased content. */
export const redacted = "[redacted]"

/** The end of a row that had not ended: now. */
export const ending = "ended_at = COALESCE(ended_at, unixepoch() * 1000)"

/** A user of a platform, as the events of an endpoint name them. */
export type PlatformUser = Static<typeof UserQuery>

/**
 * A table with data about users. `find` may use these parameters:
 *
 * - `?1` and `?2`: the keys between which to look, without the first.
 * - `?3`: the endpoint.
 * - `?4`: the user's id.
 * - `?5`: the ids of the user's direct channels, as JSON.
 */
export interface UserPart {
  readonly name: UserPartName
  /** Search the table in slices, by the column that numbers its rows. Undefined if an index finds the user's rows. */
  readonly slices: {readonly table: string; readonly key: string} | undefined
  readonly find: string
  /** Returns a row as the export shows it; left out if other rows contain the same data. */
  readonly toLine?: (row: Row) => Readonly<Record<string, unknown>>
  /** Returns the user's direct channel from a row. */
  readonly channelOf?: (row: Row, user: string) => string | undefined
  /** True if the row contains nothing of the user except ids. */
  readonly isForgotten?: (row: Row) => boolean
  /** True if the running Host is working on the row. */
  readonly isBusy?: (row: Row) => boolean
  /** Makes its batch fail if the Host has begun to work on one of the rows. */
  readonly assertIdle?: (rows: readonly Row[]) => Statement
  /** Erases the content of the rows, or deletes them. */
  readonly forgetting: (rows: readonly Row[]) => readonly Statement[]
}

/** SQL: a channel is one of the user's direct channels. */
export const isDirect = (channel: string): string => `${channel} IN (SELECT value FROM json_each(?5))`

/** Returns a column of rows as JSON. */
export const listOf = (rows: readonly Row[], column: string): string => toJson(rows.map(row => row[column]))

export interface Redaction {
  /** What is guaranteed about the erased bytes. */
  readonly erased: Purged
}

interface Erasure {
  readonly condition: Statement
  readonly changes: readonly Statement[]
  /** Thrown if the condition does not hold. */
  readonly refusal: Problem
}

/** Overwrites content, and erases the old bytes as far as possible. */
export const erase = async (database: Database, {condition, changes, refusal}: Erasure): Promise<Redaction> => {
  const isFile = database.location.dialect === "sqlite"
  await database.write([condition, ...(isFile ? [overwriting] : []), ...changes]).catch(error => {
    throw isProblem(error, "database_refused") ? refusal : error
  })
  return {erased: await database.purge()}
}
