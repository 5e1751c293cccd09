import {setTimeout as sleep} from "node:timers/promises"
import {Problem} from "../../../shared/problems.ts"
import type {Database} from "../database.ts"
import type {Row, Statement} from "../engine.ts"
import {LookSize} from "./look-size.ts"

/** What is kept: for so many milliseconds, and so many rows. Undefined for without end. */
export interface Limits {
  readonly age: number | undefined
  readonly rows: number | undefined
}

export interface PartLimits extends Limits {
  /** What was not done with, and waits for a person, is kept for so many milliseconds. */
  readonly undelivered: number | undefined
  /** The numbers above it are kept whatever else is said. */
  readonly spareAfter: number
}

/** As the configuration names them, under `retention`. */
export type RetentionPartName = "handled" | "duplicates" | "sent" | "jobRuns" | "agentRuns" | "gaps" | "runs"

/**
 * A table whose old rows are dropped. Its statements may use `?1` and `?2` for the numbers between which it looks, the
 * first excluded; `?3` for the time before which a row is old; `?4` for the number up to which rows are too many; `?5` for
 * the time before which what was not done with is old; `?6` for now; `?7` for the last number that may be dropped.
 */
export interface RetentionPart {
  readonly name: RetentionPartName
  readonly table: string
  /** The column that numbers its rows in the order in which they came. */
  readonly number: string
  /** The time that a row has been there since; rows with higher numbers are not older. */
  readonly at: string
  /** How many rows of the look may be dropped, as a query with one column `rows`. */
  readonly count: string
  /** The batch that counts them in `retention_dropped`, and drops them. */
  readonly drop: readonly string[]
}

/** A sweep gives everything else so many times the time that it takes itself. */
const leisure = 3

/** Counts what is about to be dropped: `from` has the columns `detail` and `rows`; those of `gapTime` are milliseconds. */
export const counting = (part: RetentionPartName | "gapTime", from: string): string =>
  `INSERT INTO retention_dropped (part, detail, rows, last_at) SELECT '${part}', detail, rows, ?6 FROM (${from}) WHERE rows > 0
   ON CONFLICT (part, detail) DO UPDATE SET rows = retention_dropped.rows + excluded.rows, last_at = excluded.last_at`

interface PlainPart extends Omit<RetentionPart, "count" | "drop"> {
  /** Which rows of a look may go. */
  readonly condition: string
  /** What is counted of them: an expression. */
  readonly detail: string
}

/** A part of which every row goes by the same condition, and takes nothing else with it. */
export const plainPart = ({condition, detail, ...part}: PlainPart): RetentionPart => {
  const rows = `FROM ${part.table} WHERE ${condition}`
  return {
    ...part,
    count: `SELECT count(*) AS rows ${rows}`,
    drop: [counting(part.name, `SELECT ${detail} AS detail, count(*) AS rows ${rows} GROUP BY 1`), `DELETE ${rows}`],
  }
}

export interface SweepOptions {
  /** Milliseconds since 1970. */
  readonly now: number
  readonly signal?: AbortSignal
  /** Hears how many rows of the part were dropped so far. */
  readonly progress?: (rows: number) => void
}

/** Drops what a part keeps no longer, in small steps; resolves to how many rows went. */
export const sweepPart = async (
  database: Database,
  part: RetentionPart,
  limits: PartLimits,
  {now, signal, progress}: SweepOptions,
): Promise<number> => {
  const bounds = await boundsOf(database, part, limits, now)
  let dropped = 0
  const size = new LookSize()
  for (let after = -1; ; ) {
    if (signal?.aborted === true) throw new Problem("stopping", "the Host is stopping")
    const began = performance.now()
    const look = await lookAfter(database, part, after, size.rows)
    if (look === undefined || !mayGo(look, bounds)) return dropped
    const args = [after, look.last, bounds.before, bounds.upTo, bounds.undelivered, now, limits.spareAfter]
    const [found] = await database.read(part.count, argumentsOf(part.count, args))
    const rows = Number(found?.rows)
    if (rows > 0) await database.write(part.drop.map(sql => ({sql, args: argumentsOf(sql, args)})))
    dropped += rows
    progress?.(dropped)
    after = look.last
    const took = performance.now() - began
    size.took(took, rows > 0)
    await sleep(took * (rows > 0 ? leisure : 0))
  }
}

interface Bounds {
  readonly before: number
  readonly undelivered: number
  readonly upTo: number
  readonly last: number
}

const boundsOf = async (
  database: Database,
  {table, number}: RetentionPart,
  {age, rows, undelivered, spareAfter}: PartLimits,
  now: number,
): Promise<Bounds> => {
  const [row] = await database.read(`SELECT max(${number}) AS head FROM ${table}`)
  const never = Number.MIN_SAFE_INTEGER
  return {
    before: age === undefined ? never : now - age,
    undelivered: undelivered === undefined ? never : now - undelivered,
    upTo: rows === undefined ? never : Number(row?.head ?? 0) - rows,
    last: spareAfter,
  }
}

interface Look {
  readonly first: number
  readonly last: number
  readonly oldest: number
}

const lookAfter = async (
  database: Database,
  {table, number, at}: RetentionPart,
  after: number,
  size: number,
): Promise<Look | undefined> => {
  const [row] = await database.read(
    `SELECT min(n) AS first, max(n) AS last, min(at) AS oldest FROM (
      SELECT ${number} AS n, ${at} AS at FROM ${table} WHERE ${number} > ? ORDER BY ${number} LIMIT ?)`,
    [after, size],
  )
  return row === undefined || row.last === null ? undefined : lookOf(row)
}

const lookOf = ({first, last, oldest}: Row): Look => ({
  first: Number(first),
  last: Number(last),
  oldest: Number(oldest),
})

const mayGo = ({first, oldest}: Look, {before, undelivered, upTo, last}: Bounds): boolean =>
  first <= last && (oldest < Math.max(before, undelivered) || first <= upTo)

/** A statement takes as many as the highest that it names. */
export const argumentsOf = (sql: string, args: NonNullable<Statement["args"]>): NonNullable<Statement["args"]> =>
  args.slice(0, Math.max(...[...sql.matchAll(/\?(\d)/g)].map(match => Number(match[1]))))
