import {setTimeout as sleep} from "node:timers/promises"
import type {Update} from "grammy/types"
import {type DatedIncoming, type Endpoint, isProblem} from "../../../../shared/sdk/sdk.ts"
import {apiSignal, type Bot} from "../bot.ts"
import type {Places} from "../place.ts"
import {readUpdate} from "./events.ts"
import type {Self} from "./text.ts"

/** While ingress is paused, what waits is offered again after so many milliseconds. */
const pause = 1000

/** Stores what updates tell, and then answers the presses among them. */
export class Intake {
  readonly #bot: Bot
  readonly #endpoint: Endpoint<DatedIncoming>
  readonly #places: Places
  readonly #me: Self

  constructor(bot: Bot, endpoint: Endpoint<DatedIncoming>, places: Places, me: Self) {
    this.#bot = bot
    this.#endpoint = endpoint
    this.#places = places
    this.#me = me
  }

  /**
   * Resolves once all of it is durable, with the cursor behind it. An event that the Host refuses as invalid is left
   * out.
   */
  async store(updates: readonly Update[], cursor?: string): Promise<void> {
    const options = cursor === undefined ? {} : {cursor}
    const events = updates.flatMap(update => this.#read(update))
    try {
      await this.#endpoint.receive(events, options)
    } catch (error) {
      if (!isProblem(error, "event_invalid")) throw error
      for (const event of events) await this.#storeIfValid(event)
      await this.#endpoint.receive([], options)
    }
    for (const update of updates) this.#follow(update)
  }

  /** Like `store`, but waits while ingress is paused. */
  async storePatiently(updates: readonly Update[], cursor: string): Promise<void> {
    for (;;) {
      try {
        return await this.store(updates, cursor)
      } catch (error) {
        if (!isProblem(error, "ingress_paused")) throw error
      }
      await sleep(pause, undefined, {signal: this.#endpoint.signal})
    }
  }

  /** Nothing that Telegram sends keeps what comes behind it from coming in. */
  #read(update: Update): readonly DatedIncoming[] {
    const {log} = this.#endpoint
    try {
      const events = readUpdate(update, this.#me)
      if (events.length === 0) log.debug("skipped an update that has no event for the bot", {update: update.update_id})
      return events
    } catch (error) {
      log.debug("skipped an update that could not be read", {update: update?.update_id, error})
      return []
    }
  }

  async #storeIfValid(event: DatedIncoming): Promise<void> {
    try {
      await this.#endpoint.receive(event)
    } catch (error) {
      if (!isProblem(error, "event_invalid")) throw error
      this.#endpoint.log.error(`could not store update ${event.id}: ${error.message}`, {error})
    }
  }

  /** What is stored needs no more than this: a button stops turning, the next id of a group is known. */
  #follow(update: Update): void {
    const {log, signal} = this.#endpoint
    const {migrate_to_chat_id: next, chat} = update?.message ?? {}
    if (next !== undefined && chat !== undefined) this.#places.move(chat.id, next)
    const id = update?.callback_query?.id
    if (id === undefined) return
    this.#bot.api
      .answerCallbackQuery({callback_query_id: id}, apiSignal(signal))
      .catch((error: unknown) => log.debug("could not answer a button press; the press is stored", {error}))
  }
}
