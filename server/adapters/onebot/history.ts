import type {DatedIncoming, Sender} from "../../../shared/sdk/sdk.ts"
import {type Ask, isRecord, targetOf} from "./api.ts"
import {toPastMessage} from "./events.ts"

/**
 * So many of the newest messages are asked for, one after the other, until they reach far enough back. Some implementations ignore
 * `count`, and give about twenty. They do not agree on where a page begins, so none is asked for.
 */
const windows = [20, 100, 200] as const

/**
 * By `get_group_msg_history` and `get_friend_msg_history`: extensions, as the documentation of NapCat and LLOneBot has them. Throws
 * where the messages that they give do not reach back to the one that is known.
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

/** Oldest first, those of the bot too. */
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
