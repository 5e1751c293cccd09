import type {RatesView} from "../../../shared/api/messages.ts"
import {rateOperations} from "../../../shared/api/operations/messages.ts"
import {serve} from "../../../shared/api/operations/operation.ts"
import type {Database} from "../../database/database.ts"
import {messageTimes} from "../../outbox/look-ups.ts"

/** The number of intervals. */
const buckets = 60

export const rateRoutes = (database: Database, now = Date.now) =>
  serve(rateOperations, {rates: ({query}) => readRates(database, (Number(query.minutes) * 60_000) / buckets, now())})

const readRates = async (database: Database, step: number, now: number): Promise<RatesView> => {
  const from = now - buckets * step
  const [received, sent] = await Promise.all([
    countBy({database, table: "inbox", column: "received_at"}, from, step),
    countBy({database, ...messageTimes}, from, step),
  ])
  return {from: new Date(from).toISOString(), seconds: step / 1000, received, sent}
}

/** A table whose sequence grows with the time in a column. */
interface Rows {
  readonly database: Database
  readonly table: string
  readonly column: string
}

/**
 * Counts rows by interval. There is no index by time, but the sequence grows with it: one statement finds all
 * boundaries by binary search. The difference of two sequences is the number of rows between them, even of rows that
 * retention has deleted since.
 */
const countBy = async ({database, table, column}: Rows, from: number, step: number): Promise<number[]> => {
  const rows = await database.read(boundaries(table, column), [from, step])
  const starts = rows.map(({seq}) => Number(seq))
  return starts.slice(1).map((start, bucket) => start - (starts[bucket] ?? start))
}

/** Selects each interval's first sequence: the first row not older than its start; without one, the next sequence. */
const boundaries = (table: Rows["table"], column: Rows["column"]): string => {
  const isSince = `(SELECT ${column} FROM ${table} WHERE seq >= (low + high) / 2 ORDER BY seq LIMIT 1) >= time`
  return `WITH RECURSIVE times(bucket, time) AS (SELECT 0, ?1 UNION ALL SELECT bucket + 1, time + ?2 FROM times WHERE bucket < ${buckets}),
    search(bucket, time, low, high) AS (
      SELECT bucket, time, coalesce((SELECT min(seq) FROM ${table}), 1), coalesce((SELECT max(seq) FROM ${table}), 0) + 1 FROM times
      UNION ALL SELECT bucket, time, iif(${isSince}, low, (low + high) / 2 + 1), iif(${isSince}, (low + high) / 2, high)
        FROM search WHERE low < high)
    SELECT low AS seq FROM search WHERE low >= high ORDER BY bucket`
}
