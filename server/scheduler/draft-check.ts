import type {DraftCheck, DraftFinding} from "../../shared/api/scheduled/drafts.ts"
import type {ClockChange} from "../../shared/api/scheduled/job-calendar.ts"
import {type Job, Schedule} from "../../shared/api/scheduled/jobs.ts"
import {isTimezone} from "../../shared/timezone.ts"
import {fits} from "../config/check.ts"
import {formatPath} from "../runtime/text/path.ts"
import type {Finding} from "./job-file/job-findings.ts"
import {viewNext} from "./job-view.ts"
import type {TimedJob} from "./times/calculator.ts"
import {changesOf, localClock} from "./times/local-clock.ts"

export interface Asked {
  readonly viewer?: string
  readonly count?: number
}

/** How far ahead clock changes are reported, in milliseconds. */
const farthest = 400 * 86_400_000

/** The meaning of the schema's regular expressions, in words. */
const expected: Readonly<Record<string, string>> = {
  id: "expected 1 to 64 lower-case letters, digits, dots, dashes and underscores, a letter or digit first",
  "schedule.every": "expected a number and s, m, h or d, such as 15m",
  "schedule.from": "expected a time such as 2026-05-01T09:00",
  "schedule.at": "expected a time such as 2026-05-01T09:00",
  jitter: "expected a number and s, m, h or d, such as 5m",
}

export const viewFinding = ({path, message, column}: Finding): DraftFinding => {
  const at = formatPath(path)
  const words = message.includes(" that matches ") ? expected[at] : undefined
  return {path: at, message: words ?? message, ...(column === undefined ? {} : {column})}
}

/** Returns the findings of a job draft, and its times if calculable. Times are in milliseconds since 1970. */
export const checkDraft = (draft: unknown, found: readonly Finding[], now: number, asked: Asked): DraftCheck => {
  const findings = found.map(viewFinding)
  const isFaulty = ({path}: DraftFinding) => path === "timezone" || path.startsWith("schedule") || path === "jitter"
  const {id, schedule, timezone, jitter}: {[K in keyof Job]?: unknown} =
    typeof draft === "object" && draft !== null ? draft : {}
  if (findings.some(isFaulty) || typeof timezone !== "string" || !fits(Schedule, schedule)) {
    return {findings, next: null, changes: []}
  }
  const timed = {
    id: typeof id === "string" ? id : "",
    schedule: schedule as Schedule,
    timezone,
    ...(typeof jitter === "string" ? {jitter} : {}),
  }
  return {findings, ...comingOf(timed, now, asked)}
}

/** Returns the upcoming times of a schedule, and the clock changes up to the last of them. */
export const comingOf = (
  timed: TimedJob,
  now: number,
  {viewer, count = 5}: Asked,
): Pick<DraftCheck, "next" | "changes"> => {
  const next = viewNext(timed, count, now)
  const last = next.items.at(-1)
  const until = last === undefined ? now : Math.min(Date.parse(last.scheduledFor) + 1, now + farthest)
  const zones = [timed.timezone, ...(viewer !== undefined && isTimezone(viewer) ? [viewer] : [])]
  const changes = [...new Set(zones)].flatMap((zone): readonly ClockChange[] => changesOf(localClock(zone), now, until))
  return {next, changes: changes.sort((one, other) => (one.at < other.at ? -1 : 1))}
}
