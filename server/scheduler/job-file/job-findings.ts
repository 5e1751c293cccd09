import {Job, Schedule} from "../../../shared/api/scheduled/jobs.ts"
import {durationOf} from "../../../shared/duration.ts"
import {type Issue, Problem} from "../../../shared/problems.ts"
import {isTimezone} from "../../../shared/timezone.ts"
import {fits} from "../../config/check.ts"
import {explainValue} from "../../runtime/text/explain.ts"
import {formatPath, type Path} from "../../runtime/text/path.ts"
import {didYouMean} from "../../runtime/text/suggest.ts"
import {instantOf} from "../times/calculator.ts"
import {patternFault} from "../times/cron-pattern.ts"

/** Something wrong with a job, at a path in it. */
export interface Finding {
  readonly path: Path
  readonly message: string
  readonly isKey?: boolean
  /** The column in the text at that path, from 1. */
  readonly column?: number | undefined
}

const longestJitter = durationOf("24h")

/** Returns a function that calls `ask` once for each text. */
export const remembering = <T>(ask: (text: string) => T): ((text: string) => T) => {
  const answers = new Map<string, {readonly is: T}>()
  return text => {
    const known = answers.get(text) ?? {is: ask(text)}
    answers.set(text, known)
    return known.is
  }
}

/** Expensive checks whose results are the same for many jobs. */
const ownJudge = {isTimezone, patternFault}
type Judge = typeof ownJudge

/** Throws `request_invalid` with every finding. */
export const requireValidJob = (job: Job): void => {
  const findings = draftFindings(job)
  if (findings.length === 0) return
  const issues = findings.map(
    ({path, message}): Issue => ({file: "job", line: 1, column: 1, path: formatPath(path), message}),
  )
  throw new Problem("request_invalid", issues.map(({path, message}) => `${path}: ${message}`).join("; "), {issues})
}

/** Returns what is wrong with a job draft of any form. It checks the schedule even if the rest is incomplete. */
export const draftFindings = (draft: unknown): readonly Finding[] => {
  if (fits(Job, draft)) return jobFindings(draft as Job, ownJudge)
  const {timezone, schedule}: {timezone?: unknown; schedule?: unknown} =
    typeof draft === "object" && draft !== null ? draft : {}
  const shape = explainValue(Job, draft)
  if (typeof timezone !== "string" || timezone === "") return shape
  const zone = timezoneFindings({timezone}, ownJudge)
  if (zone.length > 0 || !fits(Schedule, schedule)) return [...shape, ...zone]
  return [...shape, ...scheduleFindings({schedule: schedule as Schedule, timezone}, ownJudge)]
}

/** Returns what is wrong with a job that fits the schema. */
export const jobFindings = (job: Job, judge: Judge): Finding[] => {
  const zone = timezoneFindings(job, judge)
  const findings = [...zone, ...targetFindings(job)]
  // A local time means nothing in an unknown timezone.
  if (zone.length === 0) findings.push(...scheduleFindings(job, judge))
  if (job.jitter !== undefined && durationOf(job.jitter) > longestJitter) {
    findings.push({path: ["jitter"], message: `expected at most 24h, got ${job.jitter}`})
  }
  return findings
}

const timezoneFindings = ({timezone}: Pick<Job, "timezone">, judge: Judge): Finding[] => {
  if (judge.isTimezone(timezone)) return []
  const meant = didYouMean(timezone, Intl.supportedValuesOf("timeZone"))
  const message = `expected the name of a timezone, such as Europe/London, got "${timezone}"${meant}`
  return [{path: ["timezone"], message}]
}

const kinds = ["cron", "every", "at"] as const

const scheduleFindings = ({schedule, timezone}: Pick<Job, "schedule" | "timezone">, judge: Judge): Finding[] => {
  const path = ["schedule"]
  const given = kinds.filter(kind => schedule[kind] !== undefined)
  if (given.length !== 1) return [{path, message: `expected one of cron, every and at${got(given)}`}]
  const findings: Finding[] = []
  if (schedule.cron !== undefined) {
    const fault = judge.patternFault(schedule.cron)
    if (fault !== undefined) {
      const {message, column} = fault
      findings.push({path: [...path, "cron"], message: `"${schedule.cron}": ${message}`, column})
    }
  }
  if (schedule.from !== undefined && schedule.every === undefined) {
    findings.push({path: [...path, "from"], message: "belongs only to every", isKey: true})
  }
  for (const key of ["at", "from"] as const) {
    const text = schedule[key]
    if (text !== undefined && instantOf(text, timezone) === undefined) {
      findings.push({path: [...path, key], message: `the time ${text} does not exist`})
    }
  }
  return findings
}

/** What each kind of target needs, and what else it may have. The first kind whose key is set counts. */
const targets = {
  agent: {needs: ["agent", "text"], may: ["endpoint", "channel"]},
  endpoint: {needs: ["endpoint", "channel", "text"], may: []},
  plugin: {needs: ["plugin", "job"], may: ["data"]},
  item: {needs: ["item"], may: []},
} as const

const targetFindings = ({target}: Job): Finding[] => {
  const path = ["target"]
  const kind = (["agent", "endpoint", "plugin", "item"] as const).find(key => target[key] !== undefined)
  if (kind === undefined) {
    return [{path, message: "expected endpoint, channel and text; or plugin and job; or item; or agent and text"}]
  }
  const {needs, may} = targets[kind]
  const allowed: readonly string[] = [...needs, ...may]
  return [
    ...needs
      .filter(key => !Object.hasOwn(target, key))
      .map(key => ({path: [...path, key], message: `is required with ${kind}`, isKey: true})),
    ...Object.keys(target)
      .filter(key => !allowed.includes(key))
      .map(key => ({path: [...path, key], message: `is not allowed with ${kind}`, isKey: true})),
  ]
}

const got = (given: readonly string[]) => (given.length === 0 ? "" : `, got ${given.join(" and ")}`)
