import {randomInt} from "node:crypto"
import {fromJson, toJson} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import type {Statement} from "../../../shared/sdk/session/database.ts"
import {longestKept, readJson} from "../../../shared/sdk/session/values.ts"
import type {TSchema} from "../../../shared/type.ts"
import {assertThat, type Database, type Reader} from "../database.ts"
import {withDefaults} from "./defaults.ts"

/** The owner of the Host's own state. No plugin can have this name. */
export const hostOwner = "(host)"

/** A value of a plugin as its `setup` declared it. */
export interface DeclaredState {
  readonly scope: "user" | "channel" | "plugin"
  readonly name: string
  readonly schema: TSchema
  /** Returns where and why a value does not match the schema; undefined if it does. */
  problemOf(value: unknown): string | undefined
}

/** Identifies a value: the primary key of its row. */
export interface StateKey {
  readonly plugin: string
  readonly scope: DeclaredState["scope"]
  readonly name: string
  /** Empty for a value of the plugin itself. */
  readonly endpoint: string
  readonly subject: string
}

/** The stored value, and a version that every write changes; 0 if no value is stored. */
export interface StoredState {
  /** JSON. */
  readonly value: string | undefined
  readonly version: number
}

const keyColumns = "plugin = ? AND scope = ? AND endpoint = ? AND subject = ? AND name = ?"
const argsOf = ({plugin, scope, endpoint, subject, name}: StateKey) => [plugin, scope, endpoint, subject, name]

export const keyTextOf = (key: StateKey): string => toJson(argsOf(key))

const labelOf = ({plugin, scope, name, endpoint, subject}: StateKey): string =>
  [`state ${name} of ${plugin}`, ...(scope === "plugin" ? [] : [`for ${scope} ${subject} at ${endpoint}`])].join(" ")

export const readState = async (database: Reader, key: StateKey): Promise<StoredState> => {
  const [row] = await database.read(`SELECT value, version FROM plugin_state WHERE ${keyColumns}`, argsOf(key))
  return row === undefined ? {value: undefined, version: 0} : {value: String(row.value), version: Number(row.version)}
}

/** Returns the value with the schema's defaults. Throws `state_invalid`. */
export const parseState = (key: StateKey, state: DeclaredState, stored: string | undefined): unknown =>
  requireFit(key, state, withDefaults(state.schema, stored === undefined ? undefined : fromJson(stored)))

/** Returns the value as stored. Throws `state_invalid`. */
export const formatState = (key: StateKey, state: DeclaredState, value: unknown): string => {
  const text = readJson(labelOf(key), value, "state_invalid")
  if (text.length > longestKept)
    throw new Problem("state_invalid", `${labelOf(key)} has ${text.length} characters as JSON, above ${longestKept}`)
  requireFit(key, state, fromJson(text))
  return text
}

const requireFit = (key: StateKey, {problemOf}: DeclaredState, value: unknown): unknown => {
  const wrong = problemOf(value)
  if (wrong === undefined) return value
  throw new Problem("state_invalid", `${labelOf(key)} does not match its schema: ${wrong}`)
}

/** Makes its batch fail if another write has changed the value since it was read. */
export const assertUnchanged = (key: StateKey, version: number): Statement =>
  assertThat(`coalesce((SELECT version FROM plugin_state WHERE ${keyColumns}), 0) = ?`, [...argsOf(key), version])

/** Stores a value. Undefined deletes it. */
export const storingState = (key: StateKey, value: string | undefined): Statement => {
  if (value === undefined) return {sql: `DELETE FROM plugin_state WHERE ${keyColumns}`, args: argsOf(key)}
  return {
    sql: `INSERT INTO plugin_state (plugin, scope, endpoint, subject, name, value, version, updated_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET value = excluded.value, version = excluded.version, updated_at = excluded.updated_at`,
    // Not a counter: a value that was deleted and stored again must not look unchanged.
    args: [...argsOf(key), value, randomInt(1, 2 ** 48), Date.now()],
  }
}

/** Deletes the Host's token buckets that are full again: numbers that are a time, in milliseconds since 1970. */
export const sweepFullBuckets = (database: Pick<Database, "write">, now: number): Promise<unknown> =>
  database.write([
    {
      sql: "DELETE FROM plugin_state WHERE plugin = ? AND json_type(value) = 'integer' AND CAST(value AS INTEGER) <= ?",
      args: [hostOwner, now],
    },
  ])
