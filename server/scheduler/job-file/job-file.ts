import {type Job, JobFile} from "../../../shared/api/scheduled/jobs.ts"
import {toJson} from "../../../shared/json.ts"
import {type Issue, Problem} from "../../../shared/problems.ts"
import {isTimezone} from "../../../shared/timezone.ts"
import {fits} from "../../config/check.ts"
import {placesIn} from "../../config/text/yaml.ts"
import {sha256Of} from "../../runtime/files.ts"
import {explainValue} from "../../runtime/text/explain.ts"
import {formatPath} from "../../runtime/text/path.ts"
import {patternFault} from "../times/cron-pattern.ts"
import {type Finding, jobFindings, remembering} from "./job-findings.ts"
import {JsonError, parseJson} from "./json-source.ts"

/** The content of a checked job file. */
export interface JobFileContent {
  readonly text: string
  /** The hash of the text, in hexadecimal. */
  readonly sha256: string
  /** Undefined in a file that a user wrote and no Host has seen yet. */
  readonly authority: string | undefined
  readonly jobs: readonly Job[]
}

/** The largest job file, in bytes. A larger one is rejected unread. */
const largest = 32 * 1024 ** 2

/** The most findings that are shown. */
const mostIssues = 50

/** Parses a job file. Throws `jobs_invalid` with every finding and its position; `name` is the file's, for people. */
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

/** Returns the text of a job file, as svc writes it. */
export const formatJobFile = (authority: string | undefined, jobs: readonly Job[]): string =>
  `${toJson({version: 1, ...(authority === undefined ? {} : {authority}), jobs}, undefined, 2)}\n`

/** Returns the same jobs under another authority, for a restore, which mints one. Throws `jobs_invalid`. */
export const restampJobFile = (name: string, text: string, authority: string): string =>
  formatJobFile(authority, parseJobFile(name, text).jobs)

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
    const message = text.trim() === "" ? 'the file is empty; for no jobs, write "jobs": []' : error.message
    throw invalid([{file: name, ...placesIn(text)(error.offset), path: "", message}])
  }
}

const invalid = (issues: readonly Issue[]): Problem =>
  new Problem(
    "jobs_invalid",
    issues.length === 1 ? "the job file has an error" : `the job file has ${issues.length} errors`,
    {issues: issues.slice(0, mostIssues)},
  )

/** Finds the positions of findings. It parses the text again, because only a faulty file needs positions. */
const locate = (name: string, text: string, findings: readonly Finding[]): Issue[] => {
  const places = new Map<string, {readonly value: number; readonly key: number}>()
  const placeOf = placesIn(text)
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
      file: name,
      ...placeOf(offset(finding)),
      path: formatPath(finding.path),
      message: finding.message,
    }))
    .sort((one, other) => one.line - other.line || one.column - other.column)
}

/** Checks what the schema cannot express. */
const crossCheck = ({jobs}: JobFile): Finding[] => {
  const ids = new Set<string>()
  const judge = {isTimezone: remembering(isTimezone), patternFault: remembering(patternFault)}
  return jobs.flatMap((job, index) => {
    const at = ["jobs", index]
    const twice = ids.has(job.id) ? [{path: [...at, "id"], message: `the id "${job.id}" appears twice`}] : []
    ids.add(job.id)
    return [...twice, ...jobFindings(job, judge).map(finding => ({...finding, path: [...at, ...finding.path]}))]
  })
}
