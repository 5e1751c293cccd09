import type {BulkChanged} from "../../../shared/api/messages.ts"
import type {Row} from "../../../shared/sdk/session/database.ts"
import {beforeOf, type PageAsked} from "./pages.ts"
import type {SearchResult} from "./search.ts"

/** A request to apply an action to the rows that its filters find. */
interface BulkAsked extends PageAsked {
  readonly body: {readonly action: string; readonly dryRun?: boolean}
}

export interface Bulk<A extends BulkAsked> {
  /** The next rows that match the filters and that the action applies to. */
  search(asked: A, action: A["body"]["action"], before: number, limit: number): Promise<SearchResult>
  /** Resolves to how many rows changed. Leaves rows that have changed since the search as they are. */
  act(action: A["body"]["action"], rows: readonly Row[], asked: A): Promise<number>
  /** A row, for a person who decides. */
  view(row: Row): BulkChanged["sample"][number]
}

/** All held rows if the path names them for one of these actions; otherwise the row that it names. */
export const heldOr = <T>(named: string, action: string, one: () => T): T | "held" =>
  named === "held" && ["release", "discard", "cancel"].includes(action) ? "held" : one()

/** How many rows a dry run shows. */
const shown = 5

/** Applies an action to all rows that match, a page at a time. The client continues with `next`, and sees progress. */
export const inBulk =
  <A extends BulkAsked>({search, act, view}: Bulk<A>) =>
  async (asked: A): Promise<BulkChanged> => {
    const {action, dryRun = false} = asked.body
    const {rows, next, lookedTo} = await search(asked, action, beforeOf(asked), Number(asked.query.limit))
    const views = dryRun ? rows.map(view) : []
    return {
      count: dryRun || rows.length === 0 ? rows.length : await act(action, rows, asked),
      sample: views.slice(0, shown),
      oldest: views.map(({at}) => at).sort()[0] ?? null,
      next: next === undefined ? null : String(next),
      lookedTo,
    }
  }
