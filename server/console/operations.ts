import {type Page, page} from "../../shared/api/pages.ts"
import type {Call, Operation} from "../../shared/sdk/route.ts"
import type {Static, TSchema} from "../../shared/type.ts"
import {numberIn, textIn} from "../database/cells.ts"
import type {Database, Row} from "../database/database.ts"

export type {Call, Operation}

/** A request whose body has passed the operation's schema. */
interface Asked<B extends TSchema> extends Pick<Call, "params"> {
  readonly body: Static<B>
  readonly call: Call
}

interface Answering<B extends TSchema, A extends TSchema, P extends readonly unknown[]>
  extends Pick<Operation, "summary" | "problems"> {
  readonly body: B
  /** The schema of the answer. */
  readonly answer: A
  /** The status of the answer (default: 200). */
  readonly status?: number
  /** Does the work with the parts of the Host that it needs, and returns the answer. */
  run(asked: Asked<B>, ...parts: P): Static<A> | Promise<Static<A>>
}

/** Returns, for parts of the Host, an operation that reads a JSON body and answers with one value. */
export const answering =
  <B extends TSchema, A extends TSchema, P extends readonly unknown[]>(operation: Answering<B, A, P>) =>
  (...parts: P): Operation => {
    const {answer, status = 200, run, ...about} = operation
    const handle = async (_: Request, call: Call) => {
      const body = (await call.body()) as Static<B>
      return call.json(answer, await run({params: call.params, body, call}, ...parts), {status})
    }
    return {...about, response: {[status]: answer}, handle}
  }

export interface NewestFirst<T extends TSchema> extends Pick<Operation, "summary" | "query" | "problems"> {
  readonly item: T
  /** Returns at most `most` items with a number below `before`, highest number first. */
  read(call: Call, before: number, most: number): Promise<readonly Static<T>[]> | readonly Static<T>[]
  /** The number that orders the list and that its cursor names. */
  numberOf(item: Static<T>): number
}

/** A paged list of the API, in descending order of a number. */
export const newestFirst = <T extends TSchema>({item, read, numberOf, ...about}: NewestFirst<T>): Operation => {
  const schema = page(item)
  return {
    ...about,
    response: {200: schema},
    handle: async (_, call) => {
      const limit = Number(call.query.limit)
      const before = call.query.cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(call.query.cursor)
      // One extra item shows whether there is another page.
      const items = await read(call, before, limit + 1)
      const shown = items.slice(0, limit)
      const last = shown.at(-1)
      const next = items.length > limit && last !== undefined ? String(numberOf(last)) : null
      return call.json(schema, {items: shown, next})
    },
  }
}

/**
 * Reads the newest `most` rows below a number. Columns of `wanted` have that value; an undefined value adds no condition,
 * so that the index of the others is used.
 */
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
export const pageOf = <T>(items: readonly T[], call: Call): Page<T> => {
  const start = call.query.cursor === undefined ? 0 : Number(call.query.cursor)
  const end = start + Number(call.query.limit)
  return {items: items.slice(start, end), next: end < items.length ? String(end) : null}
}

/** Whether an item is in the state of `query.state`; true without that filter. */
export const isInState =
  ({query}: Call) =>
  ({state}: {readonly state: string}): boolean =>
    query.state === undefined || query.state === state

export const timeOf = (at: unknown): string | null =>
  at === null || at === undefined ? null : new Date(Number(at)).toISOString()

export const textOrNull = (cell: unknown): string | null => textIn(cell) ?? null

export const numberOrNull = (cell: unknown): number | null => numberIn(cell) ?? null
