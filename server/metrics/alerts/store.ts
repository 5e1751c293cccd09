import {fromJson, toJson} from "../../../shared/json.ts"
import type {Statement} from "../../../shared/sdk/plugin/database.ts"
import type {Database} from "../../database/database.ts"
import type {AlertRecord} from "./ledger.ts"
import type {Notice} from "./notice.ts"

/** What is kept of a target. Times in milliseconds since 1970. */
export interface KeptTarget {
  readonly name: string
  /** Since when it is known. */
  readonly since: number
  /** What is being sent to it. */
  readonly notice?: Notice
  readonly lastSentAt?: number
  readonly failure?: {readonly at: number; readonly error: string}
}

export interface Kept {
  readonly records: readonly AlertRecord[]
  readonly targets: readonly KeptTarget[]
}

/** What earlier runs have left. */
export const readKept = async (database: Pick<Database, "read">): Promise<Kept> => {
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
  record === undefined
    ? {sql: "DELETE FROM alerts WHERE key = ?", args: [key]}
    : {
        sql: "INSERT INTO alerts (key, data) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET data = excluded.data",
        args: [key, toJson(record)],
      }

export const storingTarget = (name: string, target: KeptTarget | undefined): Statement =>
  target === undefined
    ? {sql: "DELETE FROM alert_targets WHERE name = ?", args: [name]}
    : {
        sql: "INSERT INTO alert_targets (name, data) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET data = excluded.data",
        args: [name, toJson(target)],
      }

/** A row that says nothing but that rows are taken. */
export const storingBeat = (at: number): Statement => ({
  sql: "INSERT INTO alert_beat (id, at) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET at = excluded.at",
  args: [at],
})

/** Nobody wants to hear of alerts any more. */
export const forgettingAll: readonly Statement[] = [
  {sql: "DELETE FROM alerts", args: []},
  {sql: "DELETE FROM alert_targets", args: []},
]
