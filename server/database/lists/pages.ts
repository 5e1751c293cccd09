import type {Page} from "../../../shared/api/pages.ts"
import type {Database, Row} from "../database.ts"
import {numberIn, textIn} from "../engine/cells.ts"

/** The query of a paged list. The Host has filled in the limit. */
export interface PageAsked {
  readonly query: {readonly limit?: number; readonly cursor?: string}
}

/** The number below which a page of a list in descending order begins. */
export const beforeOf = ({query: {cursor}}: PageAsked): number =>
  cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor)

export interface NewestFirst<A, T> {
  /** Returns at most `most` items with a number below `before`, highest number first. */
  read(asked: A, before: number, most: number): Promise<readonly T[]> | readonly T[]
  /** The number that orders the list and that its cursor names. */
  numberOf(item: T): number
}

/** Answers with a page of a list in descending order of a number. */
export const newestFirst =
  <A extends PageAsked, T>({read, numberOf}: NewestFirst<A, T>) =>
  async (asked: A): Promise<Page<T>> => {
    const limit = Number(asked.query.limit)
    // One extra item shows whether there is another page.
    const items = await read(asked, beforeOf(asked), limit + 1)
    const shown = items.slice(0, limit)
    const last = shown.at(-1)
    return {items: shown, next: items.length > limit && last !== undefined ? String(numberOf(last)) : null}
  }

/** Reads the newest `most` rows below a number with the `wanted` values. An undefined value adds no condition. */
export const readNewest = (
  database: Database,
  table: string,
  wanted: Readonly<Record<string, unknown>>,
  before: number,
  most: number,
): Promise<readonly Row[]> => {
  const given = Object.entries(wanted).filter(([, value]) => value !== undefined)
  const where = ["seq < ?", ...given.map(([column]) => `${column} = ?`)].join(" AND ")
  const values = [before, ...given.map(([, value]) => String(value)), most]
  return database.read(`SELECT * FROM ${table} WHERE ${where} ORDER BY seq DESC LIMIT ?`, values)
}

/** A page of a complete list in memory; the cursor is a position. */
export const pageOf = <T>(items: readonly T[], {query: {cursor, limit}}: PageAsked): Page<T> => {
  const start = cursor === undefined ? 0 : Number(cursor)
  const end = start + Number(limit)
  return {items: items.slice(start, end), next: end < items.length ? String(end) : null}
}

/** Whether an item is in the state of `query.state`; true without that filter. */
export const isInState =
  ({query}: {readonly query: {readonly state?: string}}) =>
  ({state}: {readonly state: string}): boolean =>
    query.state === undefined || query.state === state

export const timeOf = (at: unknown): string | null =>
  at === null || at === undefined ? null : new Date(Number(at)).toISOString()

export const textOrNull = (cell: unknown): string | null => textIn(cell) ?? null

export const numberOrNull = (cell: unknown): number | null => numberIn(cell) ?? null
