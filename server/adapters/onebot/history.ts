import type {DatedIncoming, Sender} from "../../../shared/sdk/sdk.ts"
import {type Ask, isRecord, targetOf} from "./api.ts"
import {toPastMessage} from "./events.ts"

/**
 * How many of the newest messages to request, in steps, until they reach back far enough. Some implementations ignore
 * `count` and return about twenty. They disagree on where a page begins, so the adapter requests no pages.
 */
const windows = [20, 100, 200] as const

/**
 * Uses `get_group_msg_history` and `get_friend_msg_history`, extensions that NapCat and LLOneBot document. Throws if
 * the messages do not reach back to the known one.
 */
export const createHistory =
  (ask: Ask): NonNullable<Sender["history"]> =>
  async ({channel, after, before, limit}, signal) => {
    const known = after ?? before
    let newest: readonly DatedIncoming[] = []
    for (const count of windows) {
      newest = await read(ask, channel, count, signal)
      if (known === undefined ? newest.length >= limit : indexOf(newest, known) >= 0) break
    }
    if (known === undefined) return {events: newest.slice(-limit), more: newest.length > limit}
    const at = indexOf(newest, known)
    if (at < 0) throw new Error(`the newest ${newest.length} messages do not reach back to ${known}`)
    if (after === undefined) {
      const events = newest.slice(Math.max(0, at - limit), at)
      return {events, more: at > limit}
    }
    const behind = newest.slice(at + 1)
    return {events: behind.slice(0, limit), more: behind.length > limit}
  }

const indexOf = (events: readonly DatedIncoming[], id: string) => events.findIndex(({message}) => message?.id === id)

/** Returns messages oldest first, including the bot's own. */
const read = async (
  ask: Ask,
  channel: string,
  count: number,
  signal: AbortSignal,
): Promise<readonly DatedIncoming[]> => {
  const {message_type: kind, group_id, user_id} = targetOf(channel)
  const [action, of] =
    kind === "group"
      ? (["get_group_msg_history", {group_id}] as const)
      : (["get_friend_msg_history", {user_id}] as const)
  const data = await ask(action, {...of, count}, signal)
  const messages = isRecord(data) && Array.isArray(data.messages) ? data.messages.filter(isRecord) : []
  const events = messages.flatMap(message => toPastMessage(message, kind, channel) ?? [])
  const [first, last] = [events[0], events.at(-1)]
  return first !== undefined && last !== undefined && first.timestamp > last.timestamp ? events.toReversed() : events
}
