import {fromJson, toJson} from "../../../shared/json.ts"
import type {Reader, Statement} from "../../database/database.ts"
import type {AlertRecord} from "./ledger.ts"
import type {Notice} from "./notice.ts"

/** The stored state of a target. Times are in milliseconds since 1970. */
export interface KeptTarget {
  readonly name: string
  /** Since when the target is known. */
  readonly since: number
  /** The message that is being sent. */
  readonly notice?: Notice
  readonly lastSentAt?: number
  readonly failure?: {readonly at: number; readonly error: string}
}

export const readKept = async (database: Reader) => {
  const [records, targets] = await Promise.all([
    database.read("SELECT data FROM alerts"),
    database.read("SELECT data FROM alert_targets"),
  ])
  return {
    records: records.map(({data}) => fromJson(String(data)) as AlertRecord),
    targets: targets.map(({data}) => fromJson(String(data)) as KeptTarget),
  }
}

export const storingRecord = (key: string, record: AlertRecord | undefined): Statement =>
  storing("alerts", "key", key, record)

export const storingTarget = (name: string, target: KeptTarget | undefined): Statement =>
  storing("alert_targets", "name", name, target)

const storing = (table: string, column: string, key: string, data: object | undefined): Statement =>
  data === undefined
    ? {sql: `DELETE FROM ${table} WHERE ${column} = ?`, args: [key]}
    : {
        sql: `INSERT INTO ${table} (${column}, data) VALUES (?, ?) ON CONFLICT (${column}) DO UPDATE SET data = excluded.data`,
        args: [key, toJson(data)],
      }

/** A row whose only purpose is to show that the database accepts rows. */
export const storingBeat = (at: number): Statement => ({
  sql: "INSERT INTO alert_beat (id, at) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET at = excluded.at",
  args: [at],
})

/** Deletes everything, because no target wants alerts any more. */
export const forgettingAll: readonly Statement[] = [
  {sql: "DELETE FROM alerts", args: []},
  {sql: "DELETE FROM alert_targets", args: []},
]
