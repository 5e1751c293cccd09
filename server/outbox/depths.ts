import type {Database} from "../database/database.ts"

/** So many rows of each state are counted: a count holds up everything else. */
const mostCounted = 100_000

/** So many rows are looked up for the endpoints that they belong to, for the same reason. */
const mostLookedUp = 5000

/** By the name of an endpoint, also of one that the generation no longer has; without those that have nothing. */
export type ByEndpoint = ReadonlyMap<string, number>

/** What is in one of the durable tables and not done. */
export interface Depth {
  readonly byState: Readonly<Record<string, number>>
  /** Of the oldest that is still to be done, in seconds. */
  readonly oldestAge: ByEndpoint
  /** What is dead, among the newest 5000 that are. */
  readonly dead: ByEndpoint
}

interface Counted {
  readonly table: string
  /** Each with the condition of the partial index that finds its rows. */
  readonly states: Readonly<Record<string, string>>
}

const isOpen = "state IN ('pending', 'running')"
const isAside = "state IN ('failed', 'dead', 'held')"
const isStuck = "state IN ('failed', 'dead', 'unknown', 'held')"

const marks: Counted = {
  table: "inbox_marks",
  states: {pending: isOpen, running: isOpen, failed: isAside, dead: isAside, held: isAside},
}

const messages: Counted = {
  table: "outbox",
  states: {
    queued: "true",
    sending: "true",
    failed: isStuck,
    dead: isStuck,
    unknown: isStuck,
    held: isStuck,
  },
}

const counting = ({table, states}: Counted): string => {
  const columns = Object.entries(states).map(
    ([state, condition]) =>
      `(SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE ${condition} AND state = '${state}' LIMIT ${mostCounted})) AS ${state}`,
  )
  return `SELECT ${columns.join(", ")}`
}

/** Sequences are given in the order of time: the lowest are the oldest. */
const oldestEvents = `SELECT endpoint, min(received_at) AS value FROM inbox WHERE seq IN (
    SELECT seq FROM inbox_marks INDEXED BY inbox_marks_open WHERE ${isOpen} ORDER BY seq LIMIT ${mostLookedUp}
  ) GROUP BY endpoint`

const oldestMessages = `SELECT endpoint, min(created_at) AS value FROM outbox WHERE seq IN (
    SELECT min(seq) FROM outbox INDEXED BY outbox_queued WHERE state = 'queued' GROUP BY endpoint
    UNION ALL SELECT min(seq) FROM outbox INDEXED BY outbox_sending WHERE state = 'sending' GROUP BY endpoint
  ) GROUP BY endpoint`

const deadHandlers = `SELECT inbox.endpoint, count(*) AS value FROM (
    SELECT seq FROM inbox_marks INDEXED BY inbox_marks_aside WHERE ${isAside} AND state = 'dead'
    ORDER BY seq DESC LIMIT ${mostLookedUp}
  ) AS dead CROSS JOIN inbox ON inbox.seq = dead.seq GROUP BY inbox.endpoint`

const stuckMessages = (state: "dead" | "unknown") => `SELECT endpoint, count(*) AS value FROM (
    SELECT endpoint FROM outbox INDEXED BY outbox_stuck WHERE ${isStuck} AND state = '${state}'
    ORDER BY seq DESC LIMIT ${mostLookedUp}
  ) GROUP BY endpoint`

const readByEndpoint = async (database: Database, sql: string): Promise<ByEndpoint> =>
  new Map((await database.read(sql)).map(({endpoint, value}) => [String(endpoint), Number(value)]))

const readDepth = async (database: Database, counted: Counted, oldest: string, dead: string): Promise<Depth> => {
  const [counts = {}] = await database.read(counting(counted))
  const since = await readByEndpoint(database, oldest)
  const now = Date.now()
  return {
    byState: Object.fromEntries(Object.keys(counted.states).map(state => [state, Number(counts[state])])),
    oldestAge: new Map([...since].map(([endpoint, at]) => [endpoint, Math.max(0, (now - at) / 1000)])),
    dead: await readByEndpoint(database, dead),
  }
}

/** Handlers of inbox events, without those that are done; the ages are of the oldest 5000 events with an open handler. */
export const readInboxDepth = (database: Database): Promise<Depth> =>
  readDepth(database, marks, oldestEvents, deadHandlers)

/** Messages of the outbox, without those that are done. `unknown` counts among the newest 5000 that are. */
export const readOutboxDepth = async (database: Database): Promise<Depth & {readonly unknown: ByEndpoint}> => ({
  ...(await readDepth(database, messages, oldestMessages, stuckMessages("dead"))),
  unknown: await readByEndpoint(database, stuckMessages("unknown")),
})
