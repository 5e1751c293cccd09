import {Cron} from "croner"
import type {Job, Schedule} from "../../../shared/api/scheduled/jobs.ts"
import {durationOf} from "../../../shared/duration.ts"
import {BoundedMap} from "../../runtime/bounded-map.ts"
import {sha256Of} from "../../runtime/files.ts"
import {parseCron} from "./cron-pattern.ts"

/** The due times of one schedule, in milliseconds since 1970. */
export interface Times {
  /** Returns the first due time later than `at`. */
  after(at: number): number | undefined
  /** Returns the last due time that is not later than `at`. */
  upTo(at: number): number | undefined
}

/** What decides when a job fires. */
export type TimedJob = Pick<Job, "id" | "schedule" | "timezone" | "jitter">

/** How many parsed patterns are kept. Each takes 80 KB, because croner 11 keeps a flag for each of 10,000 years. */
const keptPatterns = 32

/** Calculates due times. It sets no timers and decides no policies. */
export class Calculator {
  readonly #patterns = new BoundedMap<string, Cron>(keptPatterns)

  /** Returns the due times of a valid schedule. */
  times({cron, every, from, at}: Schedule, timezone: string): Times {
    if (cron !== undefined) return this.#cron(cron, timezone)
    if (every !== undefined)
      return everyTimes(durationOf(every), from === undefined ? 0 : (instantOf(from, timezone) ?? 0))
    return onceTimes(at === undefined ? undefined : instantOf(at, timezone))
  }

  /** Returns the upcoming due times of a job, and when it fires. */
  coming(job: TimedJob, count: number, from: number): readonly {readonly due: number; readonly at: number}[] {
    const times = this.times(job.schedule, job.timezone)
    const found: {due: number; at: number}[] = []
    for (let due = times.after(from); due !== undefined && found.length < count; due = times.after(due)) {
      found.push({due, at: due + jitterOf(job, due)})
    }
    return found
  }

  #cron(pattern: string, timezone: string): Times {
    return {
      after: at => this.#parsed(pattern, timezone).nextRun(new Date(at))?.getTime(),
      // croner excludes the time that it looks back from, and its times are whole seconds.
      upTo: at => {
        const next = Math.floor(at / 1000) * 1000 + 1000
        return this.#parsed(pattern, timezone).previousRuns(1, new Date(next))[0]?.getTime()
      },
    }
  }

  #parsed(pattern: string, timezone: string): Cron {
    const key = `${timezone} ${pattern}`
    const cron = this.#patterns.get(key) ?? parseCron(pattern, timezone)
    this.#patterns.set(key, cron)
    return cron
  }
}

const everyTimes = (period: number, from: number): Times => ({
  after: at => (at < from ? from : from + (Math.floor((at - from) / period) + 1) * period),
  upTo: at => (at < from ? undefined : from + Math.floor((at - from) / period) * period),
})

const onceTimes = (instant: number | undefined): Times => ({
  after: at => (instant !== undefined && instant > at ? instant : undefined),
  upTo: at => (instant !== undefined && instant <= at ? instant : undefined),
})

/**
 * Returns the instant of `2026-05-01T09:00`, in a timezone if the text names none; undefined for a date that does not
 * exist. A local time that a clock change skips is the first one after it. A local time that occurs twice is the first
 * of the two.
 */
export const instantOf = (text: string, timezone: string): number | undefined => {
  const [, year = "", month = "", day = "", hour = "", minute = "", second = "00", zone] =
    /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d))?(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? []
  const asUtc = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  // Some engines read the 30th of February as the 2nd of March.
  if (Number.isNaN(asUtc) || new Date(asUtc).getUTCDate() !== Number(day)) return undefined
  if (zone !== undefined) return asUtc - offsetOf(zone)
  const pattern = `${second} ${minute} ${hour} ${day} ${month} * ${year}`
  const twoDays = 172_800_000
  return new Cron(pattern, {timezone, mode: "7-part", paused: true}).nextRun(new Date(asUtc - twoDays))?.getTime()
}

const offsetOf = (zone: string): number => {
  if (zone === "Z") return 0
  const [hours = 0, minutes = 0] = zone.slice(1).split(":").map(Number)
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * 60_000
}

/** Returns how much later than due a job fires: always the same for one due time, evenly spread over `jitter`. */
export const jitterOf = ({id, jitter}: Pick<Job, "id" | "jitter">, due: number): number => {
  if (jitter === undefined) return 0
  const share = Number.parseInt(sha256Of(`${id} ${due}`).slice(0, 8), 16) / 2 ** 32
  return Math.floor(share * durationOf(jitter))
}
