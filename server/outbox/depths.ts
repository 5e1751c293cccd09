import type {Database} from "../database/database.ts"

/** So many rows of each state are counted: a count holds up everything else. */
const mostCounted = 100_000

/** What is in one of the durable tables and not done. */
export interface Depth {
  readonly byState: Readonly<Record<string, number>>
  /** Of the oldest that is still to be done, in seconds; 0 where there is none. */
  readonly oldestAge: number
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

const oldestEvent = `SELECT received_at AS at FROM inbox
  WHERE seq = (SELECT min(seq) FROM inbox_marks INDEXED BY inbox_marks_open WHERE ${isOpen})`

/** Sequences are given in the order of time: the lowest is the oldest. */
const oldestMessage = `SELECT created_at AS at FROM outbox WHERE seq = (SELECT min(seq) FROM (
    SELECT min(seq) AS seq FROM outbox INDEXED BY outbox_queued WHERE state = 'queued'
    UNION ALL SELECT min(seq) FROM outbox INDEXED BY outbox_sending WHERE state = 'sending'))`

const readDepth = async (database: Database, counted: Counted, oldest: string): Promise<Depth> => {
  const [counts = {}] = await database.read(counting(counted))
  const [row] = await database.read(oldest)
  return {
    byState: Object.fromEntries(Object.keys(counted.states).map(state => [state, Number(counts[state])])),
    oldestAge: row === undefined ? 0 : Math.max(0, (Date.now() - Number(row.at)) / 1000),
  }
}

/** Handlers of inbox events, without those that are done. */
export const readInboxDepth = (database: Database): Promise<Depth> => readDepth(database, marks, oldestEvent)

/** Messages of the outbox, without those that are done. */
export const readOutboxDepth = (database: Database): Promise<Depth> => readDepth(database, messages, oldestMessage)
