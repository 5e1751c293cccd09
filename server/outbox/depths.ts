import {setImmediate as turn} from "node:timers/promises"
import type {Database} from "../database/database.ts"
import type {Endpoints} from "../endpoints/endpoints.ts"

/** The most rows of each state to count: a count blocks everything else. */
const mostCounted = 20_000

/** The most rows whose endpoints to look up, for the same reason. */
export const mostLookedUp = 2000

/** By the name of an endpoint, including former ones. Endpoints with nothing to count are missing. */
export type ByEndpoint = ReadonlyMap<string, number>

/** Every endpoint has its series, even at zero. */
export const byEndpoint = (endpoints: Pick<Endpoints, "list">, found: ByEndpoint) =>
  [...new Set([...endpoints.list().map(({spec}) => spec.name), ...found.keys()])].map(endpoint => ({
    labels: {endpoint},
    value: found.get(endpoint) ?? 0,
  }))

/** Of one of the durable tables. */
export const deadLetters = (endpoints: Pick<Endpoints, "list">, box: "inbox" | "outbox", {dead}: Depth) =>
  byEndpoint(endpoints, dead).map(({labels, value}) => ({labels: {...labels, box}, value}))

/** The unfinished and expired rows of one of the durable tables. */
export interface Depth {
  readonly byState: Readonly<Record<string, number>>
  /** The age of the oldest row to be handled, in seconds. */
  readonly oldestAge: ByEndpoint
  /** Dead rows, among the newest 2000 of them. */
  readonly dead: ByEndpoint
}

export interface Counted {
  /** If it is lower than the usual limit. */
  readonly most?: number
  readonly table: string
  readonly states: readonly string[]
}

const messages: Counted = {
  table: "outbox",
  states: ["scheduled", "queued", "sending", "failed", "dead", "unknown", "held", "expired"],
}

/** Counts one state after the other, each in its part of the index. Other work runs in between. */
export const countStates = async (
  database: Database,
  {table, states, most = mostCounted}: Counted,
): Promise<Readonly<Record<string, number>>> => {
  const counts: Record<string, number> = {}
  for (const state of states) {
    const [row] = await database.read(
      `SELECT count(*) AS n FROM (SELECT 1 FROM ${table} WHERE state = ? LIMIT ${most})`,
      [state],
    )
    counts[state] = Number(row?.n)
    await turn()
  }
  return counts
}

/** Sequences grow with time, so the lowest are the oldest. */
export const oldestIn = (table: string, columns: string, state: string): string =>
  `SELECT ${columns} FROM (SELECT ${columns} FROM ${table} WHERE state = '${state}' ORDER BY seq LIMIT ${mostLookedUp})`

const oldestMessages = `SELECT endpoint, min(created_at) AS value FROM (
    ${oldestIn("outbox", "endpoint, created_at", "queued")} UNION ALL ${oldestIn("outbox", "endpoint, created_at", "sending")}
  ) GROUP BY endpoint`

const stuckMessages = (state: "dead" | "unknown") => `SELECT endpoint, count(*) AS value FROM (
    SELECT endpoint FROM outbox WHERE state = '${state}'
    ORDER BY seq DESC LIMIT ${mostLookedUp}
  ) GROUP BY endpoint`

const missedMessages = `SELECT 1 FROM outbox INDEXED BY outbox_important
  WHERE important = 1 AND state = 'expired' LIMIT ${mostLookedUp}`

const readByEndpoint = async (database: Database, sql: string): Promise<ByEndpoint> =>
  new Map((await database.read(sql)).map(({endpoint, value}) => [String(endpoint), Number(value)]))

/** Reads a depth; `oldest` and `dead` select the `value` of each `endpoint`. */
export const readDepth = async (database: Database, counted: Counted, oldest: string, dead: string): Promise<Depth> => {
  const byState = await countStates(database, counted)
  const since = await readByEndpoint(database, oldest)
  const now = Date.now()
  return {
    byState,
    oldestAge: new Map([...since].map(([endpoint, at]) => [endpoint, Math.max(0, (now - at) / 1000)])),
    dead: await readByEndpoint(database, dead),
  }
}

/**
 * Counts messages of the outbox, without finished ones. The ages are of the oldest 2000 of each state. `unknown` counts
 * among the newest 2000 of them; `missed` counts the expired ones that are important.
 */
export const readOutboxDepth = async (
  database: Database,
): Promise<Depth & {readonly unknown: ByEndpoint; readonly missed: number}> => ({
  ...(await readDepth(database, messages, oldestMessages, stuckMessages("dead"))),
  unknown: await readByEndpoint(database, stuckMessages("unknown")),
  missed: (await database.read(missedMessages)).length,
})
