import {setTimeout as sleep} from "node:timers/promises"
import type {Update} from "grammy/types"
import {type DatedIncoming, type Endpoint, isProblem} from "../../../shared/sdk/sdk.ts"
import {apiSignal, type Bot} from "./bot.ts"
import {BotApiError, failureOf} from "./failures.ts"
import {allowedUpdates} from "./incoming/events.ts"
import type {Intake} from "./incoming/intake.ts"

/** Telegram holds a poll open for so many seconds. */
const timeout = 30

/** Behind an empty answer, in milliseconds: a server that holds no poll open is not asked all the time. */
const pause = 100

/**
 * Polls until the endpoint closes, and tells it why where it ends before. An update is confirmed by the offset behind
 * it, once it is stored.
 */
export const poll = async (bot: Bot, endpoint: Endpoint<DatedIncoming>, me: number, intake: Intake): Promise<void> => {
  try {
    for (let offset = offsetIn(endpoint.cursor, me); !endpoint.signal.aborted; ) {
      const updates = await ask(bot, endpoint, offset)
      const next = updates.findLast(update => Number.isInteger(update?.update_id))
      if (next === undefined) {
        if (updates.length > 0) throw new Error("Telegram sent updates without update_id")
        await sleep(pause, undefined, {signal: endpoint.signal})
        continue
      }
      offset = next.update_id + 1
      await intake.storePatiently(updates, `${me}:${offset}`)
    }
  } catch (error) {
    // An endpoint that admits nothing more is about to be closed.
    if (endpoint.signal.aborted || isProblem(error, "admission_closed")) return
    const failure = failureOf(error)
    endpoint.lost(failure instanceof Error ? failure : new Error(String(failure)))
  }
}

/** The updates that wait. Where Telegram asks to wait, there are none for so long. */
const ask = async ({api}: Bot, {signal}: Endpoint<DatedIncoming>, offset: number): Promise<readonly Update[]> => {
  try {
    const updates = await api.getUpdates({offset, timeout, allowed_updates: allowedUpdates}, apiSignal(signal))
    if (!Array.isArray(updates)) throw new Error("Telegram's answer to getUpdates is not a list")
    return updates
  } catch (error) {
    if (!(error instanceof BotApiError) || error.code !== 429) throw error
    await sleep((error.wait ?? 1) * 1000, undefined, {signal})
    return []
  }
}

/** A cursor is the bot's id and the offset: the updates of another bot have numbers of their own. */
const offsetIn = (cursor: string | undefined, me: number): number => {
  const [bot, offset] = (cursor ?? "").split(":").map(Number)
  return bot === me && Number.isInteger(offset) ? Number(offset) : 0
}
