import type {DraftFinding, TimerDraft, TimerWhen} from "../../../../../../shared/api/scheduled/drafts.ts"
import type {TimerDetail} from "../../../../../../shared/api/scheduled/timers.ts"
import {readData} from "./draft.ts"

/** A timer in its form: every field is text. */
export interface FilledTimer {
  /** `<plugin>/<name>` */
  timer: string
  when: "at" | "in" | "every" | "cron"
  at: string
  in: string
  every: string
  cron: string
  timezone: string
  data: string
  key: string
  endpoint: string
  channel: string
  user: string
}

export const blankTimer = (timezone: string): FilledTimer => ({
  timer: "",
  when: "in",
  at: "",
  in: "1h",
  every: "",
  cron: "",
  timezone,
  data: "",
  key: "",
  endpoint: "",
  channel: "",
  user: "",
})

const two = (value: number): string => String(value).padStart(2, "0")

/** Returns `2026-05-01T09:00` in the browser's timezone. */
const localTime = (at: string): string => {
  const date = new Date(at)
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  const seconds = date.getSeconds() === 0 ? "" : `:${two(date.getSeconds())}`
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}${seconds}`
}

const units = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "m"],
] as const

/** Returns `15m` for milliseconds; the API accepts whole seconds. */
const periodOf = (milliseconds: number): string => {
  const unit = units.find(([size]) => milliseconds >= size && milliseconds % size === 0)
  return unit === undefined ? `${Math.max(1, Math.round(milliseconds / 1000))}s` : `${milliseconds / unit[0]}${unit[1]}`
}

/** Returns an existing timer as form values; `timezone` is the browser's. */
export const filledOfTimer = (timer: TimerDetail, timezone: string): FilledTimer => {
  const {every, cron}: {every?: number; cron?: string} = JSON.parse(timer.schedule ?? "{}")
  return {
    ...blankTimer(timer.timezone ?? timezone),
    timer: `${timer.plugin}/${timer.name}`,
    when: cron !== undefined ? "cron" : every === undefined ? "at" : "every",
    at: timer.schedule === null ? localTime(timer.dueAt) : "",
    every: every === undefined ? "" : periodOf(every),
    cron: cron ?? "",
    data: timer.data === null || timer.data === undefined ? "" : JSON.stringify(timer.data, undefined, 2),
    key: timer.key ?? "",
    endpoint: timer.endpoint ?? "",
    channel: timer.channel ?? "",
    user: timer.user ?? "",
  }
}

/** Returns when it fires, as the API accepts it. */
export const whenOf = ({when, at, in: after, every, cron, timezone}: FilledTimer): TimerWhen => {
  if (when === "at") return {at: at.trim(), timezone: timezone.trim()}
  if (when === "cron") return {cron: cron.trim(), timezone: timezone.trim()}
  return when === "in" ? {in: after.trim()} : {every: every.trim()}
}

/** Returns the timer as the API accepts it. It may be invalid. */
export const timerOf = (filled: FilledTimer): TimerDraft => {
  const [plugin = "", name = ""] = filled.timer.split("/")
  const {value} = readData(filled.data)
  const {key, endpoint, channel, user} = filled
  const given = Object.entries({key, endpoint, channel, user}).filter(([, text]) => text.trim() !== "")
  return {
    plugin,
    name,
    when: whenOf(filled),
    ...(value === undefined ? {} : {data: value}),
    ...Object.fromEntries(given.map(([field, text]) => [field, text.trim()])),
  }
}

/** Returns the errors that only the page can find. */
export const ownTimerFindings = ({data}: FilledTimer): readonly DraftFinding[] => {
  const {wrong} = readData(data)
  return wrong === undefined ? [] : [{path: "data", message: wrong}]
}

/** Returns the form field for a path of the API. */
export const timerFieldOf = (path: string, filled: FilledTimer): keyof FilledTimer | undefined => {
  if (path === "plugin" || path === "name") return "timer"
  if (path === "when") return filled.when
  const field = path.replace(/^when\./, "").split(/[.[]/)[0] ?? ""
  return field in filled ? (field as keyof FilledTimer) : undefined
}
