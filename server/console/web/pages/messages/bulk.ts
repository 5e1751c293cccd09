import type {BulkChanged} from "../../../../../shared/api/messages.ts"
import type {HostClient} from "../../host/client.ts"

export type Box = "inbox" | "outbox"
export type BulkAction = "retry" | "release" | "discard" | "hold"

/** The rows that an action changes: those that these filters find. */
export interface Found {
  readonly count: number
  readonly lookedTo: string | null
  readonly oldest: string | null
  /** False if the count ended early. */
  readonly isWhole: boolean
}

/** The events that end what an action began. */
export const ends = {
  inbox: ["message.handled", "message.failed", "message.dead", "message.discarded", "message.held"],
  outbox: [
    "message.sent",
    "message.send_failed",
    "message.send_dead",
    "message.unknown",
    "message.send_discarded",
    "message.send_expired",
    "message.send_held",
  ],
} as const

/** A count ends after this many pages; the action itself handles the rest. */
const mostPages = 100

/** Counts, or changes, the next page of rows. */
export const askBulk = (
  client: HostClient,
  {
    box,
    action,
    query,
    dryRun,
  }: {box: Box; action: BulkAction; query: Readonly<Record<string, string>>; dryRun: boolean},
  cursor: string | null,
): Promise<BulkChanged> => {
  const page = new URLSearchParams({...query, limit: "100", ...(cursor === null ? {} : {cursor})})
  return client.post<BulkChanged>(`/api/${box}/bulk?${page}`, {action, dryRun})
}

export const countBulk = async (
  client: HostClient,
  asked: {box: Box; action: BulkAction; query: Readonly<Record<string, string>>},
): Promise<Found> => {
  let count = 0
  let oldest: string | null = null
  let page: BulkChanged | undefined
  for (let n = 0; n < mostPages && page?.next !== null; n++) {
    page = await askBulk(client, {...asked, dryRun: true}, page?.next ?? null)
    count += page.count
    if (page.oldest !== null && (oldest === null || page.oldest < oldest)) oldest = page.oldest
  }
  return {count, oldest, lookedTo: page?.lookedTo ?? null, isWhole: page?.next === null}
}
