import {hash} from "node:crypto"
import type {AgeNotice, InboxEvent} from "../inbox/intake/handling.ts"
import {BoundedMap} from "../runtime/bounded-map.ts"
import type {Span} from "../runtime/flow/clock.ts"
import {replyTo} from "./session/failure.ts"
import type {Say} from "./texts/host-texts.ts"

/** The most notices at one endpoint about one outage in one run. */
const most = 50

/** How many outages are remembered. */
const outages = 1000

/** Without an outage, a conversation gets at most one notice in this time, in milliseconds. */
const period = 3_600_000

/** Tells users that the bot did not run what they asked: once in each conversation and outage, after a restart too. */
export class AgeNotices {
  readonly #told = new BoundedMap<string, Set<string>>(outages)

  /** Returns undefined if the conversation has its notice, the endpoint has enough, or nobody waits for one. */
  noticeFor(
    stored: InboxEvent,
    {now, away, say}: {now: number; away: Span | undefined; say: Say},
  ): AgeNotice | undefined {
    const {endpoint, event, since = event.timestamp} = stored
    const isCause = away !== undefined && overlap(away, since, now) * 2 >= now - since
    const text = isCause ? say("expired.away", timesOf(away)) : say("expired.late")
    const isNear = isCause || (away !== undefined && now - away.to < period)
    const outage = `${endpoint} ${isNear ? away.from : Math.floor(now / period)}`
    const reply = event.user?.is_bot === true ? undefined : replyTo(stored, text)
    const told = this.#told.get(outage) ?? new Set()
    if (reply === undefined || told.has(reply.channel) || told.size >= most) return undefined
    return {
      draft: {...reply, id: idOf(`${outage} ${reply.channel}`)},
      stored: () => this.#told.set(outage, told.add(reply.channel)),
    }
  }
}

const overlap = ({from, to}: Span, since: number, now: number): number =>
  Math.max(0, Math.min(to, now) - Math.max(from, since))

/** Returns both times in UTC, with their dates if they are on different days. */
const timesOf = ({from, to}: Span) => {
  const [start, end] = [from, to].map(at => new Date(at).toISOString())
  const isOneDay = start?.slice(0, 10) === end?.slice(0, 10)
  const shown = (iso = "") => (isOneDay ? iso.slice(11, 16) : iso.slice(0, 16).replace("T", " "))
  return {from: shown(start), to: `${shown(end)} UTC`}
}

/** The same id after a restart, so that the outbox stores the notice once. In the form of a UUID (RFC 9562, version 8). */
const idOf = (key: string): string => {
  const digits = hash("sha256", key)
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `8${digits.slice(13, 16)}`, `8${digits.slice(17, 20)}`]
  return [...parts, digits.slice(20, 32)].join("-")
}
