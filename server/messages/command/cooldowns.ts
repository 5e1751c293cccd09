import type {Cooldown} from "../../../shared/sdk/command.ts"
import type {Session} from "../../../shared/sdk/session.ts"
import {BoundedMap} from "../../runtime/bounded-map.ts"

export type CooldownTurn =
  | {readonly is: "free"}
  /** `tell` is true if this conversation has not been told yet. */
  | {readonly is: "early"; readonly seconds: number; readonly tell: boolean}

/** A handler with a cooldown. */
interface Cooling {
  readonly id: string
  readonly definition: {readonly cooldown?: Cooldown}
}

interface Taken {
  /** The event of the call. When the Host retries it, it is the same call. */
  readonly sn: number
  /** A time of the clock. */
  readonly until: number
  /** The event that was told to wait, by conversation. */
  readonly told: Map<string, number>
}

/** The most remembered calls of one handler. Above that, the oldest call is forgotten and may be repeated. */
const remembered = 10_000

/** Recent calls of handlers. In memory: a reload keeps them, a restart does not. */
export class Cooldowns {
  readonly #now: () => number
  readonly #taken = new Map<string, Map<string, Taken>>()

  /** `now` returns milliseconds and never goes back. */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Takes the handler's turn, or returns how long it is still cooling down. */
  take({id, definition: {cooldown}}: Cooling, session: Session): CooldownTurn {
    if (cooldown === undefined) return {is: "free"}
    const now = this.#now()
    const taken = this.#of(id)
    const key = callerOf(cooldown, session)
    const last = taken.get(key)
    if (last === undefined || last.until <= now || last.sn === session.event.sn) {
      taken.set(key, {sn: session.event.sn, until: now + cooldown.seconds * 1000, told: new Map()})
      forgetEnded(taken, now)
      return {is: "free"}
    }
    const place = `${session.endpoint}/${session.channel?.id ?? ""}`
    const told = last.told.get(place)
    if (told === undefined) last.told.set(place, session.event.sn)
    const tell = told === undefined || told === session.event.sn
    return {is: "early", seconds: Math.ceil((last.until - now) / 1000), tell}
  }

  #of(handler: string): Map<string, Taken> {
    const known = this.#taken.get(handler)
    if (known !== undefined) return known
    const taken = new BoundedMap<string, Taken>(remembered)
    this.#taken.set(handler, taken)
    return taken
  }
}

const callerOf = ({per}: Cooldown, {endpoint, channel, user}: Session): string => {
  switch (per) {
    case "everyone":
      return ""
    case "channel":
      return `${endpoint}/${channel?.id ?? ""}`
    case "user":
      return `${endpoint}/${user?.account === undefined ? `id ${user?.id ?? ""}` : `account ${user.account}`}`
  }
}

/** Deletes ended calls. The oldest come first, and usually end first. */
const forgetEnded = (taken: Map<string, Taken>, now: number): void => {
  for (const [key, {until}] of taken) {
    if (until > now) return
    taken.delete(key)
  }
}
