import type {InboxQuery, OutboxQuery, WaitingRuns} from "../../../shared/api/messages.ts"
import type {SearchedPage} from "../../../shared/api/pages.ts"
import {durationOf} from "../../../shared/duration.ts"
import {toJson} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import type {Static} from "../../../shared/type.ts"
import type {Reader, Row, Statement} from "../database.ts"
import {beforeOf, type PageAsked, timeOf} from "./pages.ts"

/** The number of rows that a search looks at in one step, because no index covers the filters. */
const mostLooked = 1000

/** Up to this time, in milliseconds, an answer adds another step. */
const patience = 6

/** A table whose numbers grow with a time. */
export interface Searched {
  readonly table: string
  readonly time: "received_at" | "created_at"
  /** SQL of further values to read of a matching row, beside its own columns. */
  readonly more?: string
}

/** A condition as SQL over one row of the table. A `+` keeps SQLite from using an index with another order. */
export interface Condition {
  readonly sql: string
  readonly args: NonNullable<Statement["args"]>
}

export interface SearchRequest {
  readonly conditions: readonly Condition[]
  /** SQL of the numbers to look at: below `?1`, highest first, at most `?2`; defaults to all rows of the table. */
  readonly numbers?: Condition | undefined
  /** In milliseconds since 1970. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  /** Only rows below this number. */
  readonly before: number
  readonly limit: number
}

export interface SearchResult {
  /** The highest numbers first. */
  readonly rows: readonly Row[]
  /** The search continues with rows below this number; undefined at the end. */
  readonly next: number | undefined
  /** The time of the oldest row that the search looked at. */
  readonly lookedTo: string | null
}

/** Finds the newest matching rows. A page with free places may have a next page: the search then stopped early. */
export const searchRows = async (
  database: Reader,
  searched: Searched,
  {from, to, before, limit, ...sought}: SearchRequest,
): Promise<SearchResult> => {
  const began = performance.now()
  const least = from === undefined ? 0 : await firstSince(database, searched, from)
  let upTo = to === undefined ? before : Math.min(before, await firstSince(database, searched, to))
  const rows: Row[] = []
  let lookedTo: string | null = null
  for (;;) {
    const found = await look(database, searched, {...sought, upTo, least, limit: limit - rows.length})
    rows.push(...found.rows)
    lookedTo = found.lookedTo ?? lookedTo
    const isOver = found.next === undefined || rows.length === limit || performance.now() - began > patience
    if (isOver) return {rows, next: found.next, lookedTo}
    upTo = found.next
  }
}

interface Look extends Pick<SearchRequest, "conditions" | "numbers" | "limit"> {
  /** The range of numbers: below `upTo`, and from `least` on. */
  readonly upTo: number
  readonly least: number
}

const look = async (
  database: Reader,
  {table, time, more = ""}: Searched,
  {conditions, numbers, upTo, least, limit}: Look,
): Promise<SearchResult> => {
  const candidates = numbers ?? {sql: `SELECT seq FROM ${table} WHERE seq < ?1 ORDER BY seq DESC LIMIT ?2`, args: []}
  const most = conditions.length === 0 ? limit + 1 : mostLooked
  const bounds = [upTo, most, ...candidates.args]
  const fromLeast = `seq >= ?${bounds.length + 1}`
  const [looked] = await database.read(
    `SELECT last, count, (SELECT ${time} FROM ${table} WHERE seq = last) AS at
      FROM (SELECT min(seq) AS last, count(*) AS count FROM (${candidates.sql}) WHERE ${fromLeast})`,
    [...bounds, least],
  )
  if (looked === undefined || looked.last === null) return {rows: [], next: undefined, lookedTo: null}
  const last = Number(looked.last)
  const range: Condition =
    numbers === undefined
      ? {sql: "seq < ?1 AND seq >= ?2", args: [upTo, last]}
      : {sql: `seq IN (${numbers.sql}) AND ${fromLeast}`, args: [...bounds, last]}
  const all = [range, ...conditions]
  const rows = await database.read(
    `SELECT ${table}.*${more} FROM ${table} WHERE ${all.map(({sql}) => sql).join(" AND ")} ORDER BY seq DESC LIMIT ?`,
    [...all.flatMap(({args}) => [...args]), limit + 1],
  )
  const end = rows.length > limit ? rows[limit - 1] : undefined
  if (end !== undefined) return {rows: rows.slice(0, limit), next: Number(end.seq), lookedTo: timeOf(end[time])}
  return {rows, next: looked.count === most ? last : undefined, lookedTo: timeOf(looked.at)}
}

/** The number of the first row not older than a time; one above the last number if there is none. */
const firstSince = async (database: Reader, {table, time}: Searched, at: number): Promise<number> => {
  const [ends] = await database.read(
    `SELECT (SELECT min(seq) FROM ${table}) AS low, (SELECT max(seq) FROM ${table}) + 1 AS high`,
  )
  let [low, high] = [Number(ends?.low ?? 0), Number(ends?.high ?? 0)]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const [row] = await database.read(`SELECT seq, ${time} AS at FROM ${table} WHERE seq >= ? ORDER BY seq LIMIT 1`, [
      middle,
    ])
    if (row === undefined || Number(row.at) >= at) high = middle
    else low = Number(row.seq) + 1
  }
  return low
}

/** A condition for a value that the request has; no condition otherwise. */
export const given = (value: string | undefined, sql: string): readonly Condition[] =>
  value === undefined ? [] : [{sql, args: [value]}]

/** A condition for the least age of a row, whose time is an SQL expression. */
export const olderBy = (older: string | undefined, time: string): readonly Condition[] =>
  older === undefined ? [] : [{sql: `${time} <= ?`, args: [Date.now() - durationOf(older)]}]

/** Matches a text anywhere in an SQL expression; ASCII upper and lower case are equal. */
export const containing = (expression: string, text: string): Condition => ({
  sql: `${expression} LIKE ? ESCAPE '\\'`,
  args: [`%${text.replace(/[\\%_]/g, "\\$&")}%`],
})

/** The same within the strings of a JSON column that the Host wrote. */
export const containingInJson = (column: string, text: string): Condition =>
  containing(column, toJson(text).slice(1, -1))

/** The same for a string at a path of a JSON column. Few rows contain the text anywhere, and only those are parsed. */
export const containingAt = (column: string, path: string, text: string): Condition => {
  const [anywhere, there] = [containingInJson(column, text), containing(`${column} ->> '${path}'`, text)]
  return {sql: `${anywhere.sql} AND ${there.sql}`, args: [...anywhere.args, ...there.args]}
}

/** Throws `request_invalid`. */
export const timesOf = (query: {readonly from?: string; readonly to?: string}) => {
  const read = (name: "from" | "to"): number | undefined => {
    if (query[name] === undefined) return undefined
    const at = Date.parse(String(query[name]))
    if (Number.isNaN(at)) throw new Problem("request_invalid", `query.${name} is not a time like 2026-01-31T12:00:00Z`)
    return at
  }
  return {from: read("from"), to: read("to")}
}

export type MessageQuery = Static<typeof InboxQuery> | Static<typeof OutboxQuery>

/** How to search the messages of one box. */
export interface MessageSearch {
  readonly rows: Searched
  /** SQL of the numbers in a state, `?3`: below `?1`, highest first, at most `?2`. */
  readonly inState: string
  /** Returns the same for the few rows that a query asks for by a mark of theirs; undefined for all rows. */
  readonly marked: (query: MessageQuery) => string | undefined
  /** Words for groups of states. */
  readonly groups: Readonly<Record<string, readonly string[]>>
  conditionsOf(query: MessageQuery): readonly Condition[]
}

/** The messages that match a request's filters; `also` adds conditions. */
export const searchMessages = (
  database: Reader,
  {rows, inState, marked, groups, conditionsOf}: MessageSearch,
  query: MessageQuery,
  {before, limit, also = []}: {before: number; limit: number; also?: readonly Condition[]},
): Promise<SearchResult> => {
  const found = marked(query)
  const states = query.state === undefined ? undefined : (groups[query.state] ?? [query.state])
  return searchRows(database, rows, {
    conditions: [...conditionsOf(query), ...also],
    numbers: found === undefined ? states && numbersIn(inState, states) : {sql: found, args: []},
    ...timesOf(query),
    before,
    limit,
  })
}

/** A search of a table's rows in these states; their age counts from a column. */
export const searchWaiting =
  (database: Reader, {table, states, since}: {table: string; states: readonly string[]; since: string}) =>
  ({query}: {readonly query: Static<typeof WaitingRuns>}, _: unknown, before: number, limit: number) => {
    const names = ["endpoint", "channel", "user", "plugin", "agent"] as const
    const inState = `SELECT seq FROM ${table} WHERE state = ?3 AND seq < ?1 ORDER BY seq DESC LIMIT ?2`
    return searchRows(
      database,
      {table, time: "created_at"},
      {
        conditions: [...names.flatMap(name => given(query[name], `+${name} = ?`)), ...olderBy(query.older, since)],
        numbers: numbersIn(inState, states),
        before,
        limit,
      },
    )
  }

/** Several states: each uses the index on its own, and returns up to the limit. */
const numbersIn = (inState: string, states: readonly string[]): Condition => {
  if (states.length === 1) return {sql: inState, args: states}
  const each = states.map((_, index) => `SELECT seq FROM (${inState.replace("?3", `?${index + 3}`)})`)
  return {sql: `SELECT seq FROM (${each.join(" UNION ")}) ORDER BY seq DESC LIMIT ?2`, args: states}
}

export interface SearchedList<A, T> {
  search(asked: A, before: number, limit: number): Promise<SearchResult>
  view(row: Row): T
}

/** Answers with a page of a search. Each page says how far the search has looked. */
export const searchedList =
  <A extends PageAsked, T>({search, view}: SearchedList<A, T>) =>
  async (asked: A): Promise<SearchedPage<T>> => {
    const {rows, next, lookedTo} = await search(asked, beforeOf(asked), Number(asked.query.limit))
    return {items: rows.map(view), next: next === undefined ? null : String(next), lookedTo}
  }
