import {Job, JobFile} from "../../../shared/api/scheduled/jobs.ts"
import {durationOf} from "../../../shared/duration.ts"
import {toJson} from "../../../shared/json.ts"
import {type Issue, Problem} from "../../../shared/problems.ts"
import {fits} from "../../config/check.ts"
import {explainValue} from "../../config/explain.ts"
import {formatPath, type Path} from "../../config/source.ts"
import {didYouMean} from "../../config/suggest.ts"
import {sha256Of} from "../../runtime/hash.ts"
import {instantOf, isTimezone, patternProblem} from "../calculator.ts"
import {JsonError, parseJson} from "./json-source.ts"

/** What a job file says, once it is checked. */
export interface JobFileContent {
  readonly text: string
  /** Of the text, in hexadecimal. */
  readonly sha256: string
  /** Undefined in a file that a user wrote and no Host has seen yet. */
  readonly authority: string | undefined
  readonly jobs: readonly Job[]
}

/** A file larger than this is refused unread, in bytes. */
const largest = 32 * 1024 ** 2

/** More findings than these are not shown. */
const mostIssues = 50

const longestJitter = durationOf("24h")

/** Reads a job file's bytes. Throws `jobs_invalid` with every finding and its position; `name` is the file's, as people know it. */
export const parseJobFile = (name: string, bytes: Uint8Array | string): JobFileContent => {
  const text = typeof bytes === "string" ? bytes : decode(name, bytes)
  const value = parse(name, text)
  const found = fits(JobFile, value)
    ? crossCheck(value as JobFile)
    : explainValue(JobFile, value).map(({path, message, where}) => ({path, message, isKey: where === "key"}))
  if (found.length > 0) throw invalid(locate(name, text, found))
  const {authority, jobs} = value as JobFile
  return {text, sha256: sha256Of(text), authority, jobs}
}

/** The text of a job file, as svc writes it. */
export const formatJobFile = (authority: string | undefined, jobs: readonly Job[]): string =>
  `${toJson({version: 1, ...(authority === undefined ? {} : {authority}), jobs}, undefined, 2)}\n`

/** The same jobs under another authority; for a restore, which mints one. Throws `jobs_invalid`. */
export const restampJobFile = (name: string, text: string, authority: string): string =>
  formatJobFile(authority, parseJobFile(name, text).jobs)

/** Throws `request_invalid`, with every finding. */
export const requireValidJob = (job: Job): void => {
  const findings = fits(Job, job) ? jobFindings(job, {isTimezone, patternProblem}) : explainValue(Job, job)
  if (findings.length === 0) return
  throw new Problem("request_invalid", findings.map(({path, message}) => `${formatPath(path)}: ${message}`).join("; "))
}

interface Finding {
  readonly path: Path
  readonly message: string
  readonly isKey?: boolean
}

const decode = (name: string, bytes: Uint8Array): string => {
  const refuse = (message: string) => invalid([{file: name, line: 1, column: 1, path: "", message}])
  if (bytes.length > largest) throw refuse(`expected at most 32 MiB, got ${bytes.length} bytes`)
  try {
    return new TextDecoder("utf-8", {fatal: true}).decode(bytes)
  } catch {
    throw refuse("expected UTF-8 text")
  }
}

const parse = (name: string, text: string): unknown => {
  try {
    return parseJson(text)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    const message = text.trim() === "" ? "the file is empty, which is not the same as no jobs" : error.message
    throw invalid([{...positionOf(name, text, error.offset), path: "", message}])
  }
}

const invalid = (issues: readonly Issue[]): Problem =>
  new Problem(
    "jobs_invalid",
    issues.length === 1 ? "the job file has an error" : `the job file has ${issues.length} errors`,
    {issues: issues.slice(0, mostIssues)},
  )

const positionOf = (file: string, text: string, offset: number) => {
  const before = text.slice(0, offset)
  const line = before.split("\n").length
  return {file, line, column: offset - before.lastIndexOf("\n")}
}

/** The text is walked once more, since only a faulty one needs to know where what stands. */
const locate = (name: string, text: string, findings: readonly Finding[]): Issue[] => {
  const places = new Map<string, {readonly value: number; readonly key: number}>()
  parseJson(text, (path, value, key) => places.set(formatPath(path), {value, key}))
  const offset = ({path, isKey}: Finding): number => {
    for (let length = path.length; length >= 0; length--) {
      const place = places.get(formatPath(path.slice(0, length)))
      if (place !== undefined) return isKey === true && length === path.length ? place.key : place.value
    }
    return 0
  }
  return findings
    .map(finding => ({
      ...positionOf(name, text, offset(finding)),
      path: formatPath(finding.path),
      message: finding.message,
    }))
    .sort((one, other) => one.line - other.line || one.column - other.column)
}

/** What the schema cannot say. */
const crossCheck = ({jobs}: JobFile): Finding[] => {
  const ids = new Set<string>()
  const judge = {isTimezone: remembering(isTimezone), patternProblem: remembering(patternProblem)}
  return jobs.flatMap((job, index) => {
    const at = ["jobs", index]
    const twice = ids.has(job.id) ? [{path: [...at, "id"], message: `the id "${job.id}" stands twice`}] : []
    ids.add(job.id)
    return [...twice, ...jobFindings(job, judge).map(finding => ({...finding, path: [...at, ...finding.path]}))]
  })
}

/** What is dear to find out, and the same for many jobs. */
interface Judge {
  readonly isTimezone: typeof isTimezone
  readonly patternProblem: typeof patternProblem
}

const remembering = <T>(ask: (text: string) => T): ((text: string) => T) => {
  const answers = new Map<string, {readonly is: T}>()
  return text => {
    const known = answers.get(text) ?? {is: ask(text)}
    answers.set(text, known)
    return known.is
  }
}

/** What is wrong with a job that fits the schema. */
const jobFindings = (job: Job, judge: Judge): Finding[] => {
  const zone = timezoneFindings(job, judge)
  const findings = [...zone, ...targetFindings(job)]
  // A local time means nothing in a timezone that does not exist.
  if (zone.length === 0) findings.push(...scheduleFindings(job, judge))
  if (job.jitter !== undefined && durationOf(job.jitter) > longestJitter) {
    findings.push({path: ["jitter"], message: `expected at most 24h, got ${job.jitter}`})
  }
  return findings
}

const timezoneFindings = ({timezone}: Job, judge: Judge): Finding[] => {
  if (judge.isTimezone(timezone)) return []
  const meant = didYouMean(timezone, Intl.supportedValuesOf("timeZone"))
  const message = `expected the name of a timezone, such as Europe/London, got "${timezone}"${meant}`
  return [{path: ["timezone"], message}]
}

const kinds = ["cron", "every", "at"] as const

const scheduleFindings = ({schedule, timezone}: Job, judge: Judge): Finding[] => {
  const path = ["schedule"]
  const given = kinds.filter(kind => schedule[kind] !== undefined)
  if (given.length !== 1) return [{path, message: `expected one of cron, every and at${got(given)}`}]
  const findings: Finding[] = []
  if (schedule.cron !== undefined) {
    const problem = judge.patternProblem(schedule.cron)
    if (problem !== undefined) findings.push({path: [...path, "cron"], message: `"${schedule.cron}": ${problem}`})
  }
  if (schedule.from !== undefined && schedule.every === undefined) {
    findings.push({path: [...path, "from"], message: "belongs to every", isKey: true})
  }
  for (const key of ["at", "from"] as const) {
    const text = schedule[key]
    if (text !== undefined && instantOf(text, timezone) === undefined) {
      findings.push({path: [...path, key], message: `there is no ${text}`})
    }
  }
  return findings
}

const needs = {
  endpoint: ["endpoint", "channel", "text"],
  plugin: ["plugin", "job"],
  item: ["item"],
  agent: ["agent", "text"],
} as const

const optional: {readonly [K in keyof typeof needs]?: readonly string[]} = {
  plugin: ["data"],
  agent: ["endpoint", "channel"],
}

const targetFindings = ({target}: Job): Finding[] => {
  const path = ["target"]
  const kind = (["agent", "endpoint", "plugin", "item"] as const).find(key => target[key] !== undefined)
  if (kind === undefined) {
    return [{path, message: "expected endpoint, channel and text; or plugin and job; or item; or agent and text"}]
  }
  const allowed: readonly string[] = [...needs[kind], ...(optional[kind] ?? [])]
  return [
    ...needs[kind]
      .filter(key => !Object.hasOwn(target, key))
      .map(key => ({path: [...path, key], message: `is missing beside ${kind}`, isKey: true})),
    ...Object.keys(target)
      .filter(key => !allowed.includes(key))
      .map(key => ({path: [...path, key], message: `does not belong beside ${kind}`, isKey: true})),
  ]
}

const got = (given: readonly string[]) => (given.length === 0 ? "" : `, got ${given.join(" and ")}`)
