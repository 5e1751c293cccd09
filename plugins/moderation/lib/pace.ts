import type {Session} from "svc-runtime"
import {normal} from "./filters.ts"
import {type Filter, minute, type Settings} from "./settings.ts"

interface Said {
  readonly sn: number
  readonly at: number
  readonly text: string
  readonly channel: string
  readonly message: string
}

interface Author {
  readonly said: readonly Said[]
  /** The number of the newest message, and what was found then: a handler may run again. */
  readonly last: {readonly sn: number; readonly at: number; readonly found: Pace}
}

/** What the newest message of a user completes, and the platform's ids of the messages before it in the channel. */
export interface Pace {
  readonly found: Partial<Record<Filter, string>>
  readonly messages: readonly string[]
}

/** The most users whose messages are remembered. */
const mostUsers = 2000

/** Remembers the messages of the last minute, in memory, to see who repeats a message or writes too many. */
export class Paces {
  readonly #authors = new Map<string, Author>()
  readonly #settings: Settings

  constructor(settings: Settings) {
    this.#settings = settings
  }

  /** Adds a message. What has been found starts from zero afterwards. Times are those of the messages. */
  add({event, endpoint, user, channel, text: written}: Session): Pace {
    const {actions, flood, repeats} = this.#settings
    if (actions.flood === "off" && actions.repeats === "off") return {found: {}, messages: []}
    const [key, {sn, timestamp: at}] = [`${endpoint} ${user?.id}`, event]
    const known = this.#authors.get(key)
    if (known?.last.sn === sn) return known.last.found
    const said = {sn, at, text: normal(written), channel: channel?.id ?? "", message: event.message?.id ?? ""}
    const all = [...(known?.said ?? []).filter(each => each.at > at - minute), said].slice(-100)
    const equal = said.text === "" ? [] : all.filter(({text}) => text === said.text)
    const fast = all.filter(each => each.at > at - flood.seconds * 1000)
    const isRepeat = actions.repeats !== "off" && equal.length >= repeats
    const isFlood = actions.flood !== "off" && fast.length >= flood.messages
    const before = (isFlood ? fast : isRepeat ? equal : []).filter(
      each => each !== said && each.channel === said.channel,
    )
    const found = {
      found: {
        ...(isRepeat ? {repeats: String(equal.length)} : {}),
        ...(isFlood ? {flood: String(fast.length)} : {}),
      },
      messages: before.map(({message}) => message),
    }
    this.#authors.delete(key)
    this.#authors.set(key, {said: isRepeat || isFlood ? [] : all, last: {sn, at, found}})
    this.#forget(at)
    return found
  }

  /** Forgets those who have been silent for a minute, and the most silent ones of too many. */
  #forget(now: number): void {
    for (const [key, {last}] of this.#authors) {
      if (last.at > now - minute && this.#authors.size <= mostUsers) return
      this.#authors.delete(key)
    }
  }
}
