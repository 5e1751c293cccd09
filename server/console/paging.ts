import type {Call} from "../../shared/sdk/route.ts"

export interface Page<T> {
  readonly items: readonly T[]
  readonly next: string | null
}

/** The wanted page of a list that is ordered by a falling number: so many items, below a number. */
export const readPage = (call: Call): {readonly limit: number; readonly before: number} => ({
  limit: Number(call.query.limit),
  before: call.query.cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(call.query.cursor),
})

/** A page from one item more than it shows, which tells whether there is another. */
export const toPage = <T>(items: readonly T[], limit: number, numberOf: (item: T) => number): Page<T> => {
  const shown = items.slice(0, limit)
  const last = shown.at(-1)
  return {items: shown, next: items.length > limit && last !== undefined ? String(numberOf(last)) : null}
}

/** A page of a list that is whole in memory; the cursor is a position. */
export const pageOf = <T>(items: readonly T[], call: Call): Page<T> => {
  const start = call.query.cursor === undefined ? 0 : Number(call.query.cursor)
  const end = start + Number(call.query.limit)
  return {items: items.slice(start, end), next: end < items.length ? String(end) : null}
}

export const timeOf = (at: unknown): string | null =>
  at === null || at === undefined ? null : new Date(Number(at)).toISOString()
