import {BulkChanged, BulkRequest} from "../../shared/api/messages.ts"
import {isProblem, type ProblemCode} from "../../shared/problems.ts"
import type {Row} from "../../shared/sdk/plugin/database.ts"
import type {Call, Operation} from "../../shared/sdk/route.ts"
import type {Static, TSchema} from "../../shared/type.ts"
import type {SearchResult} from "./search.ts"

type Action = Static<typeof BulkRequest>["action"]

export interface Bulk extends Pick<Operation, "summary"> {
  readonly query: TSchema
  /** The next rows that match the filters and that the action applies to. */
  search(call: Call, action: Action, before: number, limit: number): Promise<SearchResult>
  act(action: Action, row: Row, call: Call): Promise<unknown>
}

/**
 * Applies an action to all rows that match a filter, a page at a time. The client continues with `next` and sees the
 * progress. Rows that have changed since the search are left alone.
 */
export const inBulk = ({summary, query, search, act}: Bulk): Operation => ({
  summary,
  query,
  body: BulkRequest,
  response: {200: BulkChanged},
  handle: async (_, call) => {
    const {action, dryRun} = (await call.body()) as Static<typeof BulkRequest>
    const before = call.query.cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(call.query.cursor)
    const {rows, next, lookedTo} = await search(call, action, before, Number(call.query.limit))
    const done = dryRun === true ? rows : await Promise.all(rows.map(row => whereItCan(() => act(action, row, call))))
    return call.json(BulkChanged, {
      count: done.filter(each => each !== undefined).length,
      next: next === undefined ? null : String(next),
      lookedTo,
    })
  },
})

const settled: readonly ProblemCode[] = ["inbox_state", "inbox_unknown", "outbox_state", "outbox_unknown"]

/** Undefined for a row that was dealt with in the meantime. */
const whereItCan = async (act: () => Promise<unknown>): Promise<true | undefined> => {
  try {
    await act()
    return true
  } catch (error) {
    if (settled.some(code => isProblem(error, code))) return undefined
    throw error
  }
}
