import {type Uptime, type UptimeSpan, uptimeSpans, wholeBot} from "../../../shared/api/metrics/status-page.ts"
import type {Reader} from "../../database/database.ts"
import {type Sample, type StateSeconds, sampleOf} from "./sample.ts"
import {day, hour, kept} from "./spans.ts"

const hoursSince = "SELECT at, data FROM metric_history WHERE span = ? AND at >= ? ORDER BY at"

/** Seconds of an hour. */
interface Spent {
  readonly up: number
  /** How many seconds the state is known. */
  readonly known: number
}

interface Hour {
  /** How many seconds the Host ran. */
  ran: number
  readonly spent: Map<string, Spent>
}

/** How long subjects were up in the last 90 days: the metric history, read once, and each row stored since. */
export class Uptimes {
  readonly #subjects: () => readonly string[]
  #followed: ReadonlySet<string> = new Set()
  #hours = new Map<number, Hour>()
  /** The end of the recorded time, in milliseconds since 1970. */
  #until = 0

  constructor(subjects: () => readonly string[]) {
    this.#subjects = subjects
  }

  /** Reads the history if the subjects have changed. `now` is in milliseconds since 1970. */
  async follow(database: Reader, now: number): Promise<void> {
    const subjects = new Set(this.#subjects())
    if (subjects.size === this.#followed.size && [...subjects].every(each => this.#followed.has(each))) return
    const rows = subjects.size === 0 ? [] : await database.read(hoursSince, [hour, now - kept(hour)])
    this.#followed = subjects
    this.#hours = new Map()
    this.#until = now
    for (const {at, data} of rows) this.#add(sampleOf(String(data)), Number(at))
  }

  /** Adds a sample of about the time `at`, stored at `now`. */
  add(sample: Sample, at: number, now: number): void {
    if (this.#followed.size === 0) return
    this.#until = now
    this.#add(sample, at)
    for (const old of [...this.#hours.keys()].filter(each => each < now - kept(hour))) this.#hours.delete(old)
  }

  /** Returns the shares of time in which a subject was up. Time without a running Host counts as down. */
  of(subject: string): Uptime {
    const hours = [...this.#hours].sort(([one], [other]) => one - other)
    const shareOf = (span: UptimeSpan) => this.#shareSince(hours, subject, this.#until - uptimeSpans[span] * day)
    return {"24h": shareOf("24h"), "7d": shareOf("7d"), "30d": shareOf("30d"), "90d": shareOf("90d")}
  }

  /** Counts from the start of an hour, since a row covers a whole hour. */
  #shareSince(hours: readonly (readonly [number, Hour])[], subject: string, since: number): number | null {
    const first = hours.find(([, {spent}]) => spent.has(subject))
    if (first === undefined) return null
    const from = Math.max(Math.floor(since / hour) * hour, first[0])
    let up = 0
    // In its first hour, only known time counts: the subject may have begun at any time in it.
    let elapsed = (this.#until - from) / 1000
    for (const [at, {ran, spent}] of hours) {
      if (at < from) continue
      const its = spent.get(subject) ?? {up: 0, known: 0}
      up += its.up
      const whole = (Math.min(this.#until, at + hour) - at) / 1000
      elapsed -= at === first[0] ? Math.max(0, whole - its.known) : Math.max(0, ran - its.known)
    }
    return elapsed <= 0 ? null : Math.min(1, up / elapsed)
  }

  #add(sample: Sample, at: number): void {
    const begin = Math.floor(at / hour) * hour
    const known = this.#hours.get(begin) ?? {ran: 0, spent: new Map<string, Spent>()}
    this.#hours.set(begin, known)
    known.ran += sample.ran
    for (const subject of this.#followed) {
      const more = spentOf(sample, subject)
      if (more === undefined) continue
      const before = known.spent.get(subject) ?? {up: 0, known: 0}
      known.spent.set(subject, {up: before.up + more.up, known: before.known + more.known})
    }
  }
}

/** For rows without a status page, an endpoint was up while online, and the bot while the Host ran. */
const spentOf = ({subjects, endpoints, ran}: Sample, subject: string): Spent | undefined => {
  if (Object.hasOwn(subjects, subject)) return timesOf(subjects[subject], "up")
  if (subject === wholeBot) return {up: ran, known: ran}
  const name = subject.startsWith("endpoint/") ? subject.slice("endpoint/".length) : undefined
  return name !== undefined && Object.hasOwn(endpoints, name) ? timesOf(endpoints[name], "online") : undefined
}

const timesOf = (states: StateSeconds = {}, up: string): Spent => ({
  up: states[up] ?? 0,
  known: Object.values(states).reduce((sum, seconds) => sum + seconds, 0),
})
