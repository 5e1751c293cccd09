import {type AskBulk, changePages, findPages} from "../../../../../shared/api/message-lists.ts"
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

export interface Asked {
  readonly box: Box
  readonly action: BulkAction
  readonly query: Readonly<Record<string, string>>
}

const asking =
  (client: HostClient, {box, action, query}: Asked): AskBulk<BulkChanged> =>
  (cursor, dryRun) =>
    client.post(`/api/${box}/bulk`, {...query, limit: 100, cursor, body: {action, dryRun}})

export const countBulk = async (client: HostClient, asked: Asked): Promise<Found> => {
  const found = (await findPages(asking(client, asked), mostPages)).map(page => page.found)
  const last = found.at(-1)
  return {
    count: found.reduce((sum, {count}) => sum + count, 0),
    oldest: found.flatMap(({oldest}) => oldest ?? []).sort()[0] ?? null,
    lookedTo: last?.lookedTo ?? null,
    isWhole: last?.next === null,
  }
}

/** Changes all that the filters find, oldest page first. Yields how many rows each page changed. */
export async function* changeBulk(client: HostClient, asked: Asked): AsyncGenerator<number> {
  const ask = asking(client, asked)
  yield* changePages(ask, await findPages(ask))
}
