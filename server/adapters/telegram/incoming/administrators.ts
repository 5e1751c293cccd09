import {type DatedIncoming, withDeadline} from "../../../../shared/sdk/sdk.ts"
import {apiSignal, type Bot} from "../api/bot.ts"

/** How long the administrators of a chat are cached, in milliseconds, and of how many chats. */
const kept = {time: 600_000, chats: 2000} as const

/** How long an event waits for the administrators, in milliseconds. */
const patience = 1000

/** The pause after Telegram did not answer for a chat, in milliseconds. */
const pause = 60_000

/** The roles of the administrators of a chat, by user. */
type Roles = ReadonlyMap<string, readonly string[]>

/** Looks up the administrators of groups, which updates do not include: one call for all users of a chat. */
export class Administrators {
  readonly #bot: Bot
  readonly #signal: AbortSignal
  readonly #known = new Map<string, {until: number; readonly roles: Promise<Roles>}>()

  constructor(bot: Bot, signal: AbortSignal) {
    this.#bot = bot
    this.#signal = signal
  }

  /** Returns the events with the roles of users in groups; without any if Telegram does not answer in time. */
  async complete(events: readonly DatedIncoming[]): Promise<readonly DatedIncoming[]> {
    return Promise.all(
      events.map(async event => {
        const {guild, user} = event
        if (guild === undefined || user === undefined) return event
        // An anonymous administrator writes as the chat.
        const roles = user.id === guild.id ? ["administrator"] : (await this.#rolesIn(guild.id)).get(user.id)
        return roles === undefined ? event : {...event, user: {...user, roles: [...roles]}}
      }),
    )
  }

  /** Removes a chat whose members changed. */
  forget(chat: number): void {
    this.#known.delete(String(chat))
  }

  #rolesIn(chat: string): Promise<Roles> {
    const now = performance.now()
    const known = this.#known.get(chat)
    if (known !== undefined && now < known.until) return known.roles
    const entry = {until: now + kept.time, roles: this.#ask(chat)}
    entry.roles = entry.roles.catch(() => {
      entry.until = performance.now() + pause
      return new Map()
    })
    this.#known.delete(chat)
    this.#known.set(chat, entry)
    const [oldest] = this.#known.keys()
    if (this.#known.size > kept.chats && oldest !== undefined) this.#known.delete(oldest)
    return entry.roles
  }

  async #ask(chat: string): Promise<Roles> {
    const ask = (signal: AbortSignal) => this.#bot.api.getChatAdministrators({chat_id: chat}, apiSignal(signal))
    const members = await withDeadline(patience, ask, this.#signal)
    return new Map(members.map(({user, status}) => [String(user.id), [...new Set([status, "administrator"])]] as const))
  }
}
