import {type Reservation, reserve} from "../runtime/flow/reservation.ts"
import type {OutboxDraft} from "./draft.ts"
import {columnsOf, type Departure, type NewRow} from "./rows.ts"

/** Drafts on their way into the outbox, with the reserved turns of their channels, until `commit` or `release`. */
export class Departures implements Reservation<ReadonlyMap<string, NewRow>> {
  readonly items: readonly Departure[]
  readonly #place: Reservation<ReadonlyMap<string, NewRow>>

  /** Calls `queued` for each stored draft without a turn. */
  constructor(items: readonly Departure[], queued: (draft: OutboxDraft) => void) {
    this.items = items
    this.#place = reserve(
      rows => hand(items, rows, queued),
      () => {
        for (const {turn} of items) turn?.release()
      },
    )
  }

  /** The drafts are durable as these rows, by id. A draft without a row was not stored. */
  commit(rows: ReadonlyMap<string, NewRow>): void {
    this.#place.commit(rows)
  }

  /** None of the drafts was stored. */
  release(): void {
    this.#place.release()
  }
}

const hand = (
  items: readonly Departure[],
  rows: ReadonlyMap<string, NewRow>,
  queued: (draft: OutboxDraft) => void,
): void => {
  for (const {draft, content, at, turn} of items) {
    const row = rows.get(draft.id)
    if (turn !== undefined && row?.state === "sending")
      turn.commit({...columnsOf(draft), content, created_at: at, spared: 0, seq: row.seq})
    else {
      turn?.release()
      if (row !== undefined) queued(draft)
    }
  }
}
