import {setTimeout as sleep} from "node:timers/promises"
import {toJson} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import type {Database} from "../database.ts"
import type {Statement} from "../engine/engine.ts"
import {LookSize} from "./look-size.ts"

/** What is kept: rows up to this age in milliseconds, and up to this number. Undefined means no limit. */
export interface Limits {
  readonly age: number | undefined
  readonly rows: number | undefined
}

export interface PartLimits extends Limits {
  /** The age, in milliseconds, up to which to keep rows that wait for a person: failed, dead, unknown or held ones. */
  readonly undelivered: number | undefined
  /** Rows with higher numbers are kept in any case. */
  readonly spareAfter: number
}

/** The names under `retention` in the configuration. */
export type RetentionPartName = "handled" | "duplicates" | "sent" | "jobRuns" | "agentRuns" | "gaps" | "runs"

/** What `retention_dropped` counts: rows of a part, the content of unhandled events, milliseconds of gaps. */
export type DroppedName = RetentionPartName | "unhandled" | "gapTime"

/**
 * A table whose old rows are deleted. Its statements may use these parameters:
 *
 * - `?1` and `?2`: the numbers between which to look, without the first.
 * - `?3`: the time before which a row is old.
 * - `?4`: the number up to which there are too many rows.
 * - `?5`: the time before which an undelivered row is old.
 * - `?6`: now.
 * - `?7`: the last number that may be deleted.
 * - `?8`: the numbers that `kept` selects, as a JSON list.
 */
export interface RetentionPart {
  readonly name: RetentionPartName
  readonly table: string
  /** The column that numbers its rows in the order in which they came. */
  readonly number: string
  /** The column with the time of a row. Rows with higher numbers are not older. */
  readonly at: string
  /** Selects the numbers `n` of rows to keep at any age. It is read once a sweep. */
  readonly kept?: string
  /** Counts the rows of the look that may be deleted, as a query with one column `rows`. */
  readonly count: string
  /** The batch that counts the rows in `retention_dropped` and deletes them. */
  readonly drop: readonly string[]
}

/** How many times its own duration a sweep pauses for other work. */
const leisure = 3

/** Counts what is about to be deleted. `from` has the columns `detail` and `rows`. */
export const counting = (part: DroppedName, from: string, now = "?6"): string =>
  `INSERT INTO retention_dropped (part, detail, rows, last_at) SELECT '${part}', detail, rows, ${now} FROM (${from}) WHERE rows > 0
   ON CONFLICT (part, detail) DO UPDATE SET rows = retention_dropped.rows + excluded.rows, last_at = excluded.last_at`

/** SQL for the counts of a part: `detail` and `rows`. */
export const droppedSql = (part: DroppedName): string =>
  `(SELECT detail, rows FROM retention_dropped WHERE part = '${part}')`

/** SQL for one count; NULL without it. */
export const droppedOneSql = (part: DroppedName, detail: string): string =>
  `(SELECT d.rows FROM retention_dropped d WHERE d.part = '${part}' AND d.detail = ${detail})`

/** Rows that retention has deleted since the project began. `lastAt` in milliseconds since 1970. */
export interface Dropped {
  readonly rows: number
  readonly undelivered: number
  readonly lastAt: number
}

export const readDropped = async (database: Database): Promise<ReadonlyMap<DroppedName, Dropped>> => {
  const rows = await database.read(
    `SELECT part, sum(rows) AS rows, sum(iif(detail = 'undelivered', rows, 0)) AS undelivered, max(last_at) AS last_at
      FROM retention_dropped GROUP BY part`,
  )
  return new Map(
    rows.map(({part, rows: count, undelivered, last_at}) => [
      part as DroppedName,
      {rows: Number(count), undelivered: Number(undelivered), lastAt: Number(last_at)},
    ]),
  )
}

interface PlainPart extends Omit<RetentionPart, "count" | "drop"> {
  /** Selects the rows of a look that may be deleted. */
  readonly condition: string
  /** An expression that groups the counts. */
  readonly detail: string
}

/** A part whose rows are all deleted by the same condition, and without related rows. */
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
  /** Receives the number of rows of the part that were deleted so far. */
  readonly progress?: (rows: number) => void
}

/** Deletes the rows of a part that exceed the limits, in small steps. Resolves to the number of deleted rows. */
export const sweepPart = async (
  database: Database,
  part: RetentionPart,
  limits: PartLimits,
  {now, signal, progress}: SweepOptions,
): Promise<number> => {
  const bounds = await boundsOf(database, part, limits, now)
  const kept = part.kept === undefined ? [] : await database.read(part.kept)
  const keptNumbers = toJson(kept.map(({n}) => Number(n)))
  let dropped = 0
  const size = new LookSize()
  for (let after = -1; ; ) {
    if (signal?.aborted === true) throw new Problem("stopping", "the Host is stopping")
    const began = performance.now()
    const look = await lookAfter(database, part, after, size.rows)
    if (look === undefined || !mayGo(look, bounds)) return dropped
    const args = [after, look.last, bounds.before, bounds.upTo, bounds.undelivered, now, limits.spareAfter, keptNumbers]
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

const boundsOf = async (
  database: Database,
  {table, number}: RetentionPart,
  {age, rows, undelivered, spareAfter}: PartLimits,
  now: number,
) => {
  const [row] = await database.read(`SELECT max(${number}) AS head FROM ${table}`)
  const never = Number.MIN_SAFE_INTEGER
  return {
    before: age === undefined ? never : now - age,
    undelivered: undelivered === undefined ? never : now - undelivered,
    upTo: rows === undefined ? never : Number(row?.head ?? 0) - rows,
    last: spareAfter,
  }
}

const lookAfter = async (database: Database, {table, number, at}: RetentionPart, after: number, size: number) => {
  const [row] = await database.read(
    `SELECT min(n) AS first, max(n) AS last, min(at) AS oldest FROM (
      SELECT ${number} AS n, ${at} AS at FROM ${table} WHERE ${number} > ? ORDER BY ${number} LIMIT ?)`,
    [after, size],
  )
  if (row === undefined || row.last === null) return undefined
  return {first: Number(row.first), last: Number(row.last), oldest: Number(row.oldest)}
}

const mayGo = (
  {first, oldest}: NonNullable<Awaited<ReturnType<typeof lookAfter>>>,
  {before, undelivered, upTo, last}: Awaited<ReturnType<typeof boundsOf>>,
): boolean => first <= last && (oldest < Math.max(before, undelivered) || first <= upTo)

/** A statement takes as many arguments as the highest number that it names. */
export const argumentsOf = (sql: string, args: NonNullable<Statement["args"]>): NonNullable<Statement["args"]> =>
  args.slice(0, Math.max(...[...sql.matchAll(/\?(\d)/g)].map(match => Number(match[1]))))
