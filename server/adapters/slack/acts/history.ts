import type {DatedIncoming, HistoryPage, Sender} from "../../../../shared/sdk/sdk.ts"
import type {Ask} from "../api/api.ts"
import {type Payload, payloadOf, payloadsIn, textIn, tsIn} from "../api/payload.ts"
import {placeOf} from "../api/place.ts"

type History = Required<Pick<Sender, "history">>

/** Converts a message of the history to the same event as the live one. */
type Read = (message: Payload, channel: string) => Promise<DatedIncoming | undefined>

/** The most messages per request, and the most requests. */
const page = {limit: 200, most: 5} as const

/** Reads the history of a channel or of a thread. A channel's history does not include its threads. */
export const createHistory = (ask: Ask, read: Read): History => ({
  history: async ({channel: id, before, after, limit}, signal): Promise<HistoryPage> => {
    const {channel, thread} = placeOf(id)
    const isForwards = after !== undefined
    // Slack returns the newest messages of a channel first, but the oldest of a thread. Only a complete range can be
    // put in order.
    const isWhole = isForwards || thread !== undefined
    const {messages, more} = await gather(
      (cursor: string | undefined) =>
        ask(
          thread === undefined ? "conversations.history" : "conversations.replies",
          {
            channel,
            ts: thread,
            oldest: after,
            latest: before,
            limit: isWhole ? page.limit : Math.min(limit, page.limit),
            cursor,
          },
          signal,
        ),
      isWhole ? page.most : 1,
    )
    if (more && isWhole) throw new Error(`the range has more than ${page.limit * page.most} messages`)
    const isWithin = (message: Payload): boolean => {
      const ts = tsIn(message, "ts")
      if (ts === undefined || ts === thread) return false
      return (after === undefined || isLater(ts, after)) && (before === undefined || isLater(before, ts))
    }
    const inOrder = messages.filter(isWithin).toSorted((one, other) => timeOfMessage(one) - timeOfMessage(other))
    const taken = isForwards ? inOrder.slice(0, limit) : inOrder.slice(-limit)
    const events = await Promise.all(taken.map(message => read(message, channel)))
    const said = events.filter(event => event !== undefined)
    // A page without user messages, such as one of joins, would end the caller's paging, so the next page is requested
    // at once.
    if (said.length === 0 && isForwards && inOrder.length > taken.length)
      return createHistory(ask, read).history(
        {channel: id, after: tsIn(taken.at(-1) ?? {}, "ts") ?? after, limit},
        signal,
      )
    return {events: said, more: more || inOrder.length > taken.length}
  },
})

const timeOfMessage = (message: Payload): number => Number(tsIn(message, "ts") ?? 0)

const isLater = (one: string, other: string): boolean => Number(one) > Number(other)

const gather = async (ask: (cursor: string | undefined) => Promise<Payload>, most: number) => {
  const messages: Payload[] = []
  let cursor: string | undefined
  for (let n = 0; n < most; n++) {
    const answer = await ask(cursor)
    messages.push(...payloadsIn(answer, "messages"))
    cursor = textIn(payloadOf(answer.response_metadata), "next_cursor")
    if (answer.has_more !== true) return {messages, more: false}
    if (cursor === undefined) break
  }
  return {messages, more: true}
}
