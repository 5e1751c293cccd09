import {type User, withDeadline} from "../../../../shared/sdk/sdk.ts"
import type {Ask} from "../api/api.ts"
import {type Payload, payloadOf, textIn} from "../api/payload.ts"

/** How long a user's name is cached, in milliseconds, and for how many users. */
const kept = {time: 3_600_000, users: 5000} as const

/** How long an event waits for its user's name, in milliseconds. Slack needs the acknowledgement within 3 s. */
const patience = 1000

/** After Slack has refused a name, the adapter asks for no names for this long, in milliseconds. */
const pause = 60_000

/** Looks up names, languages and roles of users, which Slack's events do not include. */
export class People {
  readonly #ask: Ask
  readonly #signal: AbortSignal
  readonly #team: string | undefined
  readonly #known = new Map<string, {readonly at: number; readonly user: Promise<User | undefined>}>()
  #pausedUntil = 0

  /** `team` is the id of the workspace. */
  constructor(ask: Ask, signal: AbortSignal, team?: string) {
    this.#ask = ask
    this.#signal = signal
    this.#team = team
  }

  /** Returns the user with Slack's data; unchanged if Slack does not answer in time. */
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
    const ask = (signal: AbortSignal) => this.#ask("users.info", {user: id, include_locale: true}, signal)
    try {
      const told = payloadOf((await withDeadline(patience, ask, this.#signal)).user)
      const roles = rolesOf(told, this.#team)
      return {...userOf(id, told), ...(roles.length > 0 && {roles})}
    } catch {
      this.#known.delete(id)
      this.#pausedUntil = performance.now() + pause
      return undefined
    }
  }
}

/** An administrator of another workspace, in a shared channel, is none here. */
const rolesOf = (user: Payload, team: string | undefined): string[] => {
  if (team === undefined || user.team_id !== team) return []
  return [...(user.is_owner === true ? ["owner"] : []), ...(user.is_admin === true ? ["admin"] : [])]
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
