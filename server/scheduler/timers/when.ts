import {fromJson, toJson} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import type {When} from "../../../shared/sdk/session/timer.ts"
import {fieldsOf, readTime} from "../../../shared/sdk/session/values.ts"
import {isTimezone} from "../../../shared/timezone.ts"
import type {Calculator} from "../times/calculator.ts"
import {patternProblem} from "../times/cron-pattern.ts"

/** When a timer is due, and how it repeats. `schedule` is null if it fires once. Milliseconds since 1970. */
export interface Plan {
  readonly due: number
  readonly schedule: string | null
  readonly timezone: string | null
}

/** The limits of `every`, in milliseconds: a second, and a hundred years. */
const shortest = 1000
const longest = 100 * 365 * 86_400_000

const invalid = (why: string): Problem => new Problem("timer_invalid", `the time of a timer is not valid: ${why}`)

const isTime = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value)

/** Reads the time of a timer. Plugins may be JavaScript, so it may be anything. Throws `timer_invalid`. */
export const readWhen = (when: When, now: number, calculator: Calculator): Plan => {
  const {at, in: after, every, cron, timezone} = fieldsOf(when)
  if ([at, after, every, cron].filter(each => each !== undefined).length !== 1)
    throw invalid("give one of at, in, every or cron")
  if (cron !== undefined) return readCron(cron, timezone, now, calculator)
  if (timezone !== undefined) throw invalid("timezone is only for cron")
  if (every !== undefined) {
    if (!isTime(every) || every < shortest || every > longest)
      throw invalid("every must be milliseconds from 1000 (a second) to 3153600000000 (a hundred years)")
    return {due: Math.ceil(now + every), schedule: toJson({every}), timezone: null}
  }
  if (after !== undefined && !isTime(after)) throw invalid("in must be milliseconds")
  const due = readTime(after === undefined ? at : now + after)
  if (due === undefined) throw invalid("at must be a valid Date or milliseconds since 1970")
  return {due, schedule: null, timezone: null}
}

const readCron = (cron: unknown, timezone: unknown, now: number, calculator: Calculator): Plan => {
  const wrong = typeof cron === "string" ? patternProblem(cron) : "it must be text"
  if (typeof cron !== "string" || wrong !== undefined) throw invalid(`cron: ${wrong}`)
  if (typeof timezone !== "string" || !isTimezone(timezone))
    throw invalid("cron needs timezone, an IANA name such as Europe/Berlin")
  const due = calculator.times({cron}, timezone).after(now)
  if (due === undefined) throw invalid("cron: the pattern matches no time")
  return {due, schedule: toJson({cron}), timezone}
}

/** Returns the first due time of a recurring timer later than `now`; undefined for one that fires once. */
export const nextDue = ({due, schedule, timezone}: Plan, now: number, calculator: Calculator): number | undefined => {
  if (schedule === null) return undefined
  const recurring = fromJson(schedule) as {readonly every: number} | {readonly cron: string}
  if ("cron" in recurring) return calculator.times(recurring, timezone ?? "UTC").after(Math.max(now, due))
  const passed = Math.floor(Math.max(0, now - due) / recurring.every) + 1
  return due + passed * recurring.every
}
