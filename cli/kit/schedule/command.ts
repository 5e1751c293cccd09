import {Option} from "clipanion"
import type {JobChange, JobTarget, JobView, Schedule} from "../../../shared/api/scheduled/jobs.ts"
import {omitUndefined, parseJson} from "../../../shared/json.ts"
import {facts} from "../print.ts"

export const timeOptions = {
  cron: Option.String("--cron", {description: "Time: a cron expression of five fields, or six with seconds first"}),
  every: Option.String("--every", {description: "Time: at this interval, such as 15m or 24h"}),
  from: Option.String("--from", {description: "The start of the --every intervals, such as 2026-05-01T09:00"}),
  at: Option.String("--at", {description: "Time: once, such as 2026-05-01T09:00"}),
  timezone: Option.String("--timezone", {description: "The timezone of these times, such as Europe/London"}),
  jitter: Option.String("--jitter", {description: "A random delay of up to this duration, such as 5m"}),
}

export const scheduleOf = ({cron, every, from, at}: typeof timeOptions): Schedule | undefined => {
  const schedule = omitUndefined({cron, every, from, at})
  return Object.keys(schedule).length === 0 ? undefined : schedule
}

/** The options for the times, the target and the rules of a job. */
export const jobOptions = {
  ...timeOptions,
  endpoint: Option.String("--endpoint", {description: "Target: the endpoint for the message or the agent's answer"}),
  channel: Option.String("--channel", {description: "The channel for the message or the answer"}),
  text: Option.String("--text", {description: "The message, or the question to the agent"}),
  agent: Option.String("--agent", {description: "Target: the agent to ask"}),
  plugin: Option.String("--plugin", {description: "Target: the plugin that declares the job"}),
  job: Option.String("--job", {description: "The name of the plugin's job"}),
  data: Option.String("--data", {description: "The JSON data for the plugin's job"}),
  item: Option.String("--item", {description: 'Target: a work item, as JSON such as {"title": "…"}'}),
  label: Option.String("--label", {description: "A name for people"}),
  missed: Option.String("--missed", {description: "How to make up for missed times: skip (default), once or all"}),
  overlap: Option.String("--overlap", {description: "For a time that comes during a run: skip (default) or queue"}),
}

/** Returns the named options. The Host validates them. */
export const changeOf = (options: typeof jobOptions): JobChange => {
  const {label, timezone, jitter, missed, overlap} = options
  const schedule = scheduleOf(options)
  const target = targetOf(options)
  return {
    ...omitUndefined({label, timezone, jitter, schedule, target}),
    // The schema of the job file defines the valid words.
    ...omitUndefined({missed: missed as JobChange["missed"], overlap: overlap as JobChange["overlap"]}),
  }
}

const targetOf = ({endpoint, channel, text, agent, plugin, job, data, item}: typeof jobOptions) => {
  const target: JobTarget = {
    ...omitUndefined({endpoint, channel, text, agent, plugin, job}),
    ...(data === undefined ? {} : {data: parseJson(data, "--data")}),
    ...(item === undefined ? {} : {item: parseJson(item, "--item") as NonNullable<JobTarget["item"]>}),
  }
  return Object.keys(target).length === 0 ? undefined : target
}

/** Returns, for example, `cron 0 9 * * MON-FRI`, `every 15m from …` or `at …`. */
export const describeSchedule = ({cron, every, from, at}: Schedule): string => {
  if (cron !== undefined) return `cron ${cron}`
  if (every !== undefined) return `every ${every}${from === undefined ? "" : ` from ${from}`}`
  return `at ${at}`
}

/** Returns, for example, `message to irc~libera #team`, `job digest of team` or `agent helper for irc~libera #team`. */
export const describeTarget = ({endpoint, channel, agent, plugin, job, item}: JobTarget): string => {
  if (agent !== undefined)
    return `agent ${agent}${endpoint === undefined ? "" : ` for ${endpoint} ${channel ?? ""}`}`.trim()
  if (endpoint !== undefined) return `message to ${endpoint} ${channel ?? ""}`.trim()
  return plugin === undefined ? `work item ${item?.title ?? ""}`.trim() : `job ${job} of ${plugin}`
}

/** Returns, for example, `succeeded at 2026-05-01T09:00:01.000Z`. */
const describeRun = ({state, reason, endedAt}: NonNullable<JobView["lastRun"]>): string =>
  `${state}${reason === null ? "" : ` (${reason})`} at ${endedAt}`

/** Returns, for example, `plugin team: cron 0 3 * * *, UTC; written once, now the file decides`. */
const describeDefault = ({plugin, schedule, timezone}: NonNullable<JobView["declared"]>): string =>
  `plugin ${plugin}: ${describeSchedule(schedule)}, ${timezone}; written once, now the file decides`

export const describeJob = (job: JobView): string =>
  facts([
    ["id", job.id],
    ["label", job.label],
    ["enabled", job.enabled ? "yes" : "no"],
    ["schedule", describeSchedule(job.schedule)],
    ["timezone", job.timezone],
    ["target", describeTarget(job.target)],
    ["text", job.target.text],
    ["data", JSON.stringify(job.target.data)],
    ["missed", job.missed],
    ["overlap", job.overlap],
    ["jitter", job.jitter],
    ["next", job.nextAt ?? "never"],
    ["default of", job.declared && describeDefault(job.declared)],
    ["revision", job.revision],
    ["last run", job.lastRun && describeRun(job.lastRun)],
    ["problem", job.problem],
  ])
