import {type Reservation, reserve} from "../runtime/flow/reservation.ts"
import type {OutboxDraft} from "./draft.ts"
import {columnsOf, type Departure, type NewRow} from "./rows.ts"

/**
 * Drafts on their way into the outbox, with the reserved turns of their channels, until `commit` or `release`. Commit
 * them with the durable rows, by id; a draft without a row was not stored.
 */
export interface Departures extends Reservation<ReadonlyMap<string, NewRow>> {
  readonly items: readonly Departure[]
}

/** Calls `queued` for each stored draft without a turn. */
export const departing = (items: readonly Departure[], queued: (draft: OutboxDraft) => void): Departures => ({
  items,
  ...reserve<ReadonlyMap<string, NewRow>>(
    rows => {
      for (const {draft, content, at, turn} of items) {
        const row = rows.get(draft.id)
        if (turn !== undefined && row?.state === "sending")
          turn.commit({...columnsOf(draft), content, created_at: at, spared: 0, seq: row.seq})
        else {
          turn?.release()
          if (row !== undefined) queued(draft)
        }
      }
    },
    () => {
      for (const {turn} of items) turn?.release()
    },
  ),
})
