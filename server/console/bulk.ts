import {BulkChanged, type BulkRequest} from "../../shared/api/messages.ts"
import type {Row} from "../../shared/sdk/plugin/database.ts"
import type {Call, Operation} from "../../shared/sdk/route.ts"
import type {Static, TSchema} from "../../shared/type.ts"
import type {SearchResult} from "./search.ts"

type Request = Static<typeof BulkRequest>

export interface Bulk<R extends TSchema> extends Pick<Operation, "summary"> {
  readonly query: TSchema
  readonly body: R
  /** The next rows that match the filters and that the action applies to. */
  search(call: Call, action: Static<R>["action"], before: number, limit: number): Promise<SearchResult>
  /** Resolves to how many rows changed. Leaves rows that have changed since the search as they are. */
  act(action: Static<R>["action"], rows: readonly Row[], call: Call): Promise<number>
  /** A row, for a person who decides. */
  view(row: Row): BulkChanged["sample"][number]
}

/** All held rows if the path names them for one of these actions; otherwise the row that it names. */
export const heldOr = <T>(named: string | undefined, action: string, one: () => T): T | "held" =>
  named === "held" && ["release", "discard", "cancel"].includes(action) ? "held" : one()

/** How many rows a dry run shows. */
const shown = 5

/**
 * Applies an action to all rows that match a filter, a page at a time. The client continues with `next` and sees the
 * progress.
 */
export const inBulk = <R extends TSchema>({summary, query, body, search, act, view}: Bulk<R>): Operation => ({
  summary,
  query,
  body,
  response: {200: BulkChanged},
  handle: async (_, call) => {
    const {action, dryRun = false} = (await call.body()) as Request
    const before = call.query.cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(call.query.cursor)
    const {rows, next, lookedTo} = await search(call, action, before, Number(call.query.limit))
    const views = dryRun ? rows.map(view) : []
    return call.json(BulkChanged, {
      count: dryRun || rows.length === 0 ? rows.length : await act(action, rows, call),
      sample: views.slice(0, shown),
      oldest: views.map(({at}) => at).sort()[0] ?? null,
      next: next === undefined ? null : String(next),
      lookedTo,
    })
  },
})
