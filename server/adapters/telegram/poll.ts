import {setTimeout as sleep} from "node:timers/promises"
import type {Update} from "grammy/types"
import {type DatedIncoming, type Endpoint, isProblem} from "../../../shared/sdk/sdk.ts"
import {apiSignal, type Bot} from "./api/bot.ts"
import {BotApiError, failureOf} from "./api/failures.ts"
import {allowedUpdates} from "./incoming/events.ts"
import type {Intake} from "./incoming/intake.ts"

/** How long Telegram holds a poll open, in seconds. */
const timeout = 30

/** The most updates in one answer: a shorter one has everything that Telegram kept. */
const mostUpdates = 100

/** The pause after an empty answer, in milliseconds, for servers that do not hold polls open. */
const pause = 100

/**
 * Polls until the endpoint closes, and reports an earlier end to it. The next offset confirms an update once it is
 * stored.
 */
export const poll = async (bot: Bot, endpoint: Endpoint<DatedIncoming>, me: number, intake: Intake): Promise<void> => {
  let isKept = true
  try {
    for (let offset = offsetIn(endpoint.cursor, me); !endpoint.signal.aborted; ) {
      const updates = await ask(bot, endpoint, offset)
      const next = updates.findLast(update => Number.isInteger(update?.update_id))
      if (next === undefined) {
        if (updates.length > 0) throw new Error("Telegram sent updates without update_id")
        isKept = false
        await sleep(pause, undefined, {signal: endpoint.signal})
        continue
      }
      offset = next.update_id + 1
      await intake.storePatiently(updates, `${me}:${offset}`, isKept)
      isKept &&= updates.length >= mostUpdates
    }
  } catch (error) {
    // The endpoint is about to close.
    if (endpoint.signal.aborted || isProblem(error, "admission_closed")) return
    const failure = failureOf(error)
    endpoint.lost(failure instanceof Error ? failure : new Error(String(failure)))
  }
}

/** Returns the pending updates. If Telegram asks to wait, waits and returns none. */
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

/** Reads the offset in a cursor, which starts with the bot's id, because each bot has its own update numbers. */
const offsetIn = (cursor: string | undefined, me: number): number => {
  const [bot, offset] = (cursor ?? "").split(":").map(Number)
  return bot === me && Number.isInteger(offset) ? Number(offset) : 0
}
