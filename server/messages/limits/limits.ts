import type {CommandRates} from "../../../shared/config/config.ts"
import {durationOf} from "../../../shared/duration.ts"
import type {Log} from "../../../shared/log.ts"
import type {SatoriEvent} from "../../../shared/sdk/content/satori.ts"
import {type Attempt, type InboxEvent, limitedNote, type Work} from "../../inbox/intake/handling.ts"
import type {Runnable} from "../session/run-handler.ts"
import type {HostTexts} from "../texts/host-texts.ts"
import {type Buckets, bucketKey, type Limit, type Rate, type Turn} from "./buckets.ts"
import {userKey} from "./cooldowns.ts"

const scopes = ["user", "channel"] as const

/** Returns the limits that count a command: at the time from which its age counts, so that a backlog is no flood. */
export type CommandLimitsOf = (stored: InboxEvent) => readonly Limit[]

/** Reads the limits over all commands in a generation. */
export const readCommandLimits = (given: CommandRates): CommandLimitsOf => {
  const rates = scopes.flatMap(scope => {
    const rate = rateOf(given[scope])
    return rate === undefined ? [] : [{scope, rate}]
  })
  return ({endpoint, event, since = event.timestamp}) =>
    rates.flatMap(({scope, rate}) => {
      const key = keyOf[scope](endpoint, event)
      return key === undefined ? [] : [{key, rate, since, place: ""}]
    })
}

const keyOf = {
  user: (endpoint: string, {user}: SatoriEvent) => user && userKey("commands", endpoint, user),
  channel: (endpoint: string, {channel}: SatoriEvent) =>
    channel && bucketKey("channel", "commands", endpoint, channel.id),
}

/** Reads `10/1m`. */
const rateOf = (text?: string): Rate | undefined => {
  const [calls = "", per = ""] = (text ?? "").split("/")
  return text === undefined ? undefined : {calls: Number(calls), per: durationOf(per)}
}

/** What one run of a handler takes from the buckets, and leaves behind. */
export class Turns {
  readonly #buckets: Buckets
  readonly #call: {readonly sn: number; readonly byPerson: boolean | undefined}
  #taken: readonly Limit[] = []
  #note: string | undefined

  constructor(buckets: Buckets, {event}: InboxEvent, {byPerson}: Attempt) {
    this.#buckets = buckets
    this.#call = {sn: event.sn, byPerson}
  }

  async take(limits: readonly Limit[]): Promise<Turn> {
    const turn = await this.#buckets.take(limits, this.#call)
    if (turn.is === "free") this.#taken = [...this.#taken, ...limits]
    return turn
  }

  readonly leaves = (): Pick<Work, "writes" | "note"> => ({
    writes: this.#buckets.storing(this.#taken),
    note: this.#note,
  })

  /** Returns a handler that runs if the limits allow it; admins and repeats by a person are not counted. */
  limited(handler: Runnable, limits: readonly Limit[], texts: HostTexts, log: Log): Runnable {
    const {leaves} = this
    if (limits.length === 0) return {...handler, leaves}
    const handle: Runnable["handle"] = async (session, attempt, hold) => {
      if (session.permission === "admin" || this.#call.byPerson === true) return handler.handle(session, attempt, hold)
      const turn = await this.take(limits)
      if (turn.is === "free") return handler.handle(session, attempt, hold)
      const {seconds, limit, tell} = turn
      this.#note = `${limitedNote}${limit.key.scope}`
      if (!tell) return undefined
      log.warn(`a ${limit.key.scope} sends too many commands: svc inbox list --limited`, {event: session.event.sn})
      return texts.in(session.language)("call.limited", {seconds})
    }
    return {...handler, handle, leaves}
  }
}
