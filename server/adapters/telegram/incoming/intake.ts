import {setTimeout as sleep} from "node:timers/promises"
import type {Update} from "grammy/types"
import {type DatedIncoming, type Endpoint, isProblem} from "../../../../shared/sdk/sdk.ts"
import {apiSignal, type Bot} from "../api/bot.ts"
import type {Places} from "../api/place.ts"
import {Administrators} from "./administrators.ts"
import {readUpdate} from "./events.ts"
import type {Self} from "./text.ts"

/** The pause between two attempts to store while ingress is paused, in milliseconds. */
const pause = 1000

/** Stores the events of updates, and then answers the presses among them. */
export class Intake {
  readonly #bot: Bot
  readonly #endpoint: Endpoint<DatedIncoming>
  readonly #places: Places
  readonly #me: Self
  readonly #administrators: Administrators

  constructor(bot: Bot, endpoint: Endpoint<DatedIncoming>, places: Places, me: Self) {
    this.#bot = bot
    this.#endpoint = endpoint
    this.#places = places
    this.#me = me
    this.#administrators = new Administrators(bot, endpoint.signal)
  }

  /**
   * Resolves once all events are durable, with the cursor after them. An event that the Host rejects as invalid is
   * dropped. `isKept`: Telegram may have kept them. It gives no time for presses.
   */
  async store(updates: readonly Update[], cursor?: string, isKept = false): Promise<void> {
    const options = cursor === undefined ? {} : {cursor}
    const isDateless = ({type}: DatedIncoming) => isKept && type === "interaction/button"
    const read = updates
      .flatMap(update => this.#read(update))
      .map(event => (isDateless(event) ? {...event, isKept} : event))
    const events = await this.#administrators.complete(read)
    try {
      await this.#endpoint.receive(events, options)
    } catch (error) {
      if (!isProblem(error, "event_invalid")) throw error
      for (const event of events) await this.#storeIfValid(event)
      await this.#endpoint.receive([], options)
    }
    for (const update of updates) this.#follow(update)
  }

  /** Works like `store`, but waits while ingress is paused. */
  async storePatiently(updates: readonly Update[], cursor: string, isKept: boolean): Promise<void> {
    for (;;) {
      try {
        return await this.store(updates, cursor, isKept)
      } catch (error) {
        if (!isProblem(error, "ingress_paused")) throw error
      }
      await sleep(pause, undefined, {signal: this.#endpoint.signal})
    }
  }

  /** Reads an update. An unreadable one must not block later updates. */
  #read(update: Update): readonly DatedIncoming[] {
    const {log} = this.#endpoint
    try {
      const chat = update.callback_query?.message?.chat
      if (chat !== undefined) this.#places.learn(chat)
      const changed = (update.chat_member ?? update.my_chat_member)?.chat
      if (changed !== undefined) this.#administrators.forget(changed.id)
      const events = readUpdate(update, this.#me, what => this.#endpoint.unknown(what))
      if (events.length === 0) log.debug("skipped an update that has no event for the bot", {update: update.update_id})
      return events
    } catch (error) {
      log.debug("skipped an update that could not be read", {update: update?.update_id, error})
      this.#endpoint.unknown("update")
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

  /** Follows up on a stored update: stops the pressed button's animation, and stores the new id of a group. */
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
