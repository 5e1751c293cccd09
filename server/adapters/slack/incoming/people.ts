import type {User} from "../../../../shared/sdk/sdk.ts"
import type {Ask} from "../api.ts"
import {type Payload, payloadOf, textIn} from "../payload.ts"

/** A user's name is known for so long, in milliseconds, and of so many users. */
const kept = {time: 3_600_000, users: 5000} as const

/** An event waits for its user's name at most so long, in milliseconds: Slack wants its acknowledgement within 3 s. */
const patience = 1000

/** After Slack has refused to tell a name, nobody's is asked for so long, in milliseconds. */
const pause = 60_000

/** Names and languages of users, which Slack's events do not tell. */
export class People {
  readonly #ask: Ask
  readonly #signal: AbortSignal
  readonly #known = new Map<string, {readonly at: number; readonly user: Promise<User | undefined>}>()
  #pausedUntil = 0

  constructor(ask: Ask, signal: AbortSignal) {
    this.#ask = ask
    this.#signal = signal
  }

  /** A user with what Slack tells of them; as it was where Slack does not tell in time. */
  async complete(user: User): Promise<User> {
    if (!/^[UW]/.test(user.id)) return user
    const told = await this.#find(user.id)
    return told === undefined ? user : {...user, ...told}
  }

  #find(id: string): Promise<User | undefined> {
    const now = performance.now()
    const known = this.#known.get(id)
    if (known !== undefined && now - known.at < kept.time) return known.user
    if (now < this.#pausedUntil) return Promise.resolve(undefined)
    const user = this.#load(id)
    this.#known.delete(id)
    this.#known.set(id, {at: now, user})
    const [oldest] = this.#known.keys()
    if (this.#known.size > kept.users && oldest !== undefined) this.#known.delete(oldest)
    return user
  }

  async #load(id: string): Promise<User | undefined> {
    const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(patience)])
    try {
      return userOf(id, payloadOf((await this.#ask("users.info", {user: id, include_locale: true}, signal)).user))
    } catch {
      this.#known.delete(id)
      this.#pausedUntil = performance.now() + pause
      return undefined
    }
  }
}

const userOf = (id: string, user: Payload): User => {
  const profile = payloadOf(user.profile)
  const name = textIn(user, "name")
  const nick = textIn(profile, "display_name") ?? textIn(user, "real_name")
  const avatar = textIn(profile, "image_192")
  const locale = textIn(user, "locale")
  return {
    id,
    ...(name === undefined ? {} : {name}),
    ...(nick === undefined ? {} : {nick}),
    ...(avatar === undefined ? {} : {avatar}),
    ...(locale === undefined ? {} : {locale}),
    ...(user.is_bot === true ? {is_bot: true} : {}),
  }
}
