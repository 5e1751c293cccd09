import {RatesQuery, RatesView} from "../../../shared/api/messages.ts"
import type {Operation} from "../../../shared/sdk/route.ts"
import type {Static} from "../../../shared/type.ts"
import type {Database} from "../../database/database.ts"

/** So many intervals are shown. */
const buckets = 60

export const showRates = (database: Database, now = Date.now): Operation => ({
  summary: "How many messages came in and went out lately, by intervals",
  query: RatesQuery,
  response: {200: RatesView},
  handle: async (_, call) => {
    const minutes = Number(call.query.minutes)
    return call.json(RatesView, await readRates(database, (minutes * 60_000) / buckets, now()))
  },
})

const readRates = async (database: Database, step: number, now: number): Promise<Static<typeof RatesView>> => {
  const from = now - buckets * step
  const [received, sent] = await Promise.all([
    countBy({database, table: "inbox", column: "received_at"}, from, step),
    countBy({database, table: "outbox", column: "created_at"}, from, step),
  ])
  return {from: new Date(from).toISOString(), seconds: step / 1000, received, sent}
}

/** Rows whose sequence grows with the time in a column. */
interface Rows {
  readonly database: Database
  readonly table: "inbox" | "outbox"
  readonly column: string
}

/**
 * Rows by interval. They have no index by time, but their sequence grows with it: each boundary is looked up by halving,
 * and the difference of two sequences is how many came between them, even of rows that retention has dropped since.
 */
const countBy = async (rows: Rows, from: number, step: number): Promise<number[]> => {
  const {database, table} = rows
  const [newest] = await database.read(`SELECT seq FROM ${table} ORDER BY seq DESC LIMIT 1`)
  const end = Number(newest?.seq ?? 0) + 1
  const [oldest] = await database.read(`SELECT seq FROM ${table} ORDER BY seq LIMIT 1`)
  let at = await firstSince(rows, from, Number(oldest?.seq ?? end), end)
  const counts: number[] = []
  for (let bucket = 1; bucket <= buckets; bucket++) {
    const next = at === end ? end : await firstSince(rows, from + bucket * step, at, end)
    counts.push(next - at)
    at = next
  }
  return counts
}

/** The first sequence of `low` to `high` whose row is not older than a time; `high` where none is. */
const firstSince = async (rows: Rows, time: number, low: number, high: number): Promise<number> => {
  let [from, to] = [low, high]
  // Most boundaries are near the one before: it is looked for in growing steps first.
  for (let reach = 1; from + reach < to; reach *= 4) {
    if (await isSince(rows, time, from + reach)) to = from + reach
    else from += reach
  }
  while (from < to) {
    const middle = Math.floor((from + to) / 2)
    if (await isSince(rows, time, middle)) to = middle
    else from = middle + 1
  }
  return from
}

/** Is the first row from a sequence on not older than a time? */
const isSince = async ({database, table, column}: Rows, time: number, seq: number) => {
  const [row] = await database.read(`SELECT ${column} AS at FROM ${table} WHERE seq >= ? ORDER BY seq LIMIT 1`, [seq])
  return row === undefined || Number(row.at) >= time
}
