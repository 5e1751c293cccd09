import type {ClockChange, JobView} from "../../host/views.ts"
import {dates} from "../../locale.ts"
import {texts} from "../../texts.ts"

const t = texts.jobs

/** The timezone of whoever looks at the page. */
export const ownZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone

/** A job's schedule as its file has it. */
export const scheduleOf = ({schedule: {cron, every, from, at}}: Pick<JobView, "schedule">): string => {
  if (cron !== undefined) return t.cron(cron)
  return every === undefined ? t.at(at ?? "") : t.every(every, from)
}

const titleOf = ({target: {item}}: JobView): string => item?.title ?? texts.hidden

/** What a job does, in a line. */
export const targetOf = (job: JobView): string => {
  const {endpoint, channel, plugin, job: called, agent} = job.target
  if (agent !== undefined) return t.agent(agent)
  if (endpoint !== undefined) return t.message(channel ?? texts.hidden, endpoint)
  return plugin === undefined ? t.item(titleOf(job)) : t.plugin(called ?? "", plugin)
}

/** What running it does, before somebody asks for that. */
export const runSays = (job: JobView): string => {
  const {endpoint, channel, text, plugin, job: called, agent} = job.target
  if (agent !== undefined) return t.runSays.agent(text ?? "", agent)
  if (endpoint !== undefined) return t.runSays.message(text ?? "", channel ?? "", endpoint)
  return plugin === undefined ? t.runSays.item(titleOf(job)) : t.runSays.plugin(called ?? "", plugin)
}

const clock = new Intl.DateTimeFormat("en-GB", {hour: "2-digit", minute: "2-digit", hourCycle: "h23"})
const dated = new Intl.DateTimeFormat("en-CA", {year: "numeric", month: "2-digit", day: "2-digit"})
const heading = dates({weekday: "short", day: "numeric", month: "short", timeZone: "UTC"})

/** `09:00`, on the clock here. */
export const clockHere = (at: string | number): string => clock.format(new Date(at))
/** `2026-03-29`, of the day here. */
export const dateHere = (at: number): string => dated.format(at)
/** `Sun 29 Mar`, of `2026-03-29`. */
export const dayName = (date: string): string => heading(Date.parse(`${date}T00:00:00Z`))

/** What a job's own clock shows, of `2026-03-29 09:00 +01:00`: without the day where that is the one of the calendar. */
export const clockThere = (local: string, date: string): string =>
  local.startsWith(`${date} `) ? local.slice(date.length + 1) : local

const dayAndYear = {weekday: "short", day: "numeric", month: "short", year: "numeric"} as const
const fullDay = dates(dayAndYear)
const fullDayThere = dates({...dayAndYear, timeZone: "UTC"})

/** `Sun 29 Mar 2026 09:00`, on the clock here. */
export const whenHere = (at: string): string => {
  const date = new Date(at)
  const seconds = date.getSeconds() === 0 ? "" : `:${String(date.getSeconds()).padStart(2, "0")}`
  return `${fullDay(date)} ${clockHere(at)}${seconds}`
}

/** `Sun 29 Mar 2026 09:00 +01:00`, of `2026-03-29 09:00 +01:00`. */
export const whenThere = (local: string): string => {
  const [date = "", ...rest] = local.split(" ")
  return [fullDayThere(Date.parse(`${date}T00:00:00Z`)), ...rest].join(" ")
}

/** Does a job's own clock show the same as the one here? */
export const isSameClock = (local: string, at: string): boolean =>
  local.startsWith(`${dateHere(Date.parse(at))} ${clockHere(at)}`)

const minutesOf = (offset: string): number => {
  const [hours = 0, minutes = 0] = offset.slice(1).split(":").map(Number)
  return (offset.startsWith("-") ? -1 : 1) * (hours * 60 + minutes)
}

/** A change of a clock in words: from what it shows to what. */
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
