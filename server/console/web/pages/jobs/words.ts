import type {ClockChange} from "../../../../../shared/api/scheduled/job-calendar.ts"
import type {JobView} from "../../../../../shared/api/scheduled/jobs.ts"
import {dates} from "../../texts/locale.ts"
import {texts} from "../../texts/texts.ts"

const t = texts.jobs

/** Returns the browser's timezone. */
export const ownZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone

/** Returns a job's schedule as its file has it. */
export const scheduleOf = ({schedule: {cron, every, from, at}}: Pick<JobView, "schedule">): string => {
  if (cron !== undefined) return t.cron(cron)
  if (every === undefined) return t.at(at ?? "")
  return from === undefined ? t.every(every) : t.everyFrom(every, from)
}

const titleOf = ({target: {item}}: JobView): string => item?.title ?? texts.hidden

/** Says what a job does, in one line. */
export const targetOf = (job: JobView): string => {
  const {endpoint, channel, plugin, job: called, agent} = job.target
  if (agent !== undefined) return t.agent(agent)
  if (endpoint !== undefined) return t.message(channel ?? texts.hidden, endpoint)
  return plugin === undefined ? t.item(titleOf(job)) : t.plugin(called ?? "", plugin)
}

/** Says what a run will do, for the question before it. */
export const runSays = (job: JobView): string => {
  const {endpoint, channel, text, plugin, job: called, agent} = job.target
  if (agent !== undefined) return t.runSays.agent(text ?? "", agent)
  if (endpoint !== undefined) return t.runSays.message(text ?? "", channel ?? "", endpoint)
  return plugin === undefined ? t.runSays.item(titleOf(job)) : t.runSays.plugin(called ?? "", plugin)
}

const clock = new Intl.DateTimeFormat("en-GB", {hour: "2-digit", minute: "2-digit", hourCycle: "h23"})
const dated = new Intl.DateTimeFormat("en-CA", {year: "numeric", month: "2-digit", day: "2-digit"})
const heading = dates({weekday: "short", day: "numeric", month: "short", timeZone: "UTC"})

/** Returns `09:00`, in the browser's timezone. */
export const clockHere = (at: string | number): string => clock.format(new Date(at))
/** Returns `2026-03-29`, in the browser's timezone. */
export const dateHere = (at: number): string => dated.format(at)
/** Returns `Sun 29 Mar` for `2026-03-29`. */
export const dayName = (date: string): string => heading(Date.parse(`${date}T00:00:00Z`))

/** Returns the job's own local time for `2026-03-29 09:00 +01:00`, without the date if it is the calendar's. */
export const clockThere = (local: string, date: string): string =>
  local.startsWith(`${date} `) ? local.slice(date.length + 1) : local

const dayAndYear = {weekday: "short", day: "numeric", month: "short", year: "numeric"} as const
const fullDay = dates(dayAndYear)
const fullDayThere = dates({...dayAndYear, timeZone: "UTC"})

/** Returns `Sun 29 Mar 2026 09:00`, in the browser's timezone. */
export const whenHere = (at: string): string => {
  const date = new Date(at)
  const seconds = date.getSeconds() === 0 ? "" : `:${String(date.getSeconds()).padStart(2, "0")}`
  return `${fullDay(date)} ${clockHere(at)}${seconds}`
}

/** Returns `Sun 29 Mar 2026 09:00 +01:00` for `2026-03-29 09:00 +01:00`. */
export const whenThere = (local: string): string => {
  const [date = "", ...rest] = local.split(" ")
  return [fullDayThere(Date.parse(`${date}T00:00:00Z`)), ...rest].join(" ")
}

/** Is the job's local time the same as the browser's? */
export const isSameClock = (local: string, at: string): boolean =>
  local.startsWith(`${dateHere(Date.parse(at))} ${clockHere(at)}`)

const minutesOf = (offset: string): number => {
  const [hours = 0, minutes = 0] = offset.slice(1).split(":").map(Number)
  return (offset.startsWith("-") ? -1 : 1) * (hours * 60 + minutes)
}

/** Says which time a clock change skips or repeats: the time before and after it. */
export const changeOf = ({timezone, at, before, after}: ClockChange): string => {
  const wall = (offset: string) => new Date(Date.parse(at) + minutesOf(offset) * 60_000).toISOString().slice(11, 16)
  const tell = minutesOf(after) > minutesOf(before) ? t.forward : t.back
  return tell(timezone, wall(before), wall(after))
}

export const runTones = {
  queued: "idle",
  running: "warn",
  succeeded: "good",
  failed: "bad",
  cancelled: "warn",
  skipped: "warn",
} as const
