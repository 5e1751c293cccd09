import {Option} from "clipanion"
import type {TimerWhen} from "../../../shared/api/scheduled/drafts.ts"
import type {JobChange, JobTarget, JobView, Schedule} from "../../../shared/api/scheduled/jobs.ts"
import {parseJson} from "../../../shared/json.ts"
import {facts} from "../print.ts"
import {DataCommand} from "../svc-command.ts"

/** The options for the times of a job. */
export abstract class TimedCommand extends DataCommand {
  cron = Option.String("--cron", {description: "Time: a cron expression of five fields, or six with seconds first"})
  every = Option.String("--every", {description: "Time: at this interval, such as 15m or 24h"})
  from = Option.String("--from", {description: "The start of the --every intervals, such as 2026-05-01T09:00"})
  at = Option.String("--at", {description: "Time: once, such as 2026-05-01T09:00"})
  timezone = Option.String("--timezone", {description: "The timezone of these times, such as Europe/London"})
  jitter = Option.String("--jitter", {description: "A random delay of up to this duration, such as 5m"})

  schedule(): Schedule | undefined {
    const {cron, every, from, at} = this
    const schedule = given({cron, every, from, at})
    return Object.keys(schedule).length === 0 ? undefined : schedule
  }
}

/** The options for the target and the rules of a job. */
export abstract class JobCommand extends TimedCommand {
  endpoint = Option.String("--endpoint", {description: "Target: the endpoint for the message or the agent's answer"})
  channel = Option.String("--channel", {description: "The channel for the message or the answer"})
  text = Option.String("--text", {description: "The message, or the question to the agent"})
  agent = Option.String("--agent", {description: "Target: the agent to ask"})
  plugin = Option.String("--plugin", {description: "Target: the plugin that declares the job"})
  job = Option.String("--job", {description: "The name of the plugin's job"})
  data = Option.String("--data", {description: "The JSON data for the plugin's job"})
  item = Option.String("--item", {description: 'Target: a work item, as JSON such as {"title": "…"}'})
  label = Option.String("--label", {description: "A name for people"})
  missed = Option.String("--missed", {description: "How to make up for missed times: skip (default), once or all"})
  overlap = Option.String("--overlap", {
    description: "What to do with a time that comes while a run is open: skip (default) or queue",
  })

  /** Returns the named options. The Host validates them. */
  change(): JobChange {
    const {label, timezone, jitter} = this
    const schedule = this.schedule()
    const target = this.#target()
    return {
      ...given({label, timezone, jitter}),
      ...(schedule === undefined ? {} : {schedule}),
      ...(target === undefined ? {} : {target}),
      // The schema of the job file defines the valid words.
      ...given({missed: this.missed as JobChange["missed"], overlap: this.overlap as JobChange["overlap"]}),
    }
  }

  #target(): JobTarget | undefined {
    const {endpoint, channel, text, agent, plugin, job} = this
    const target: JobTarget = {
      ...given({endpoint, channel, text, agent, plugin, job}),
      ...(this.data === undefined ? {} : {data: parseJson(this.data, "--data")}),
      ...(this.item === undefined ? {} : {item: parseJson(this.item, "--item") as NonNullable<JobTarget["item"]>}),
    }
    return Object.keys(target).length === 0 ? undefined : target
  }
}

type Given<T> = {[K in keyof T]?: Exclude<T[K], undefined>}

export const given = <T extends Readonly<Record<string, unknown>>>(options: T): Given<T> =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Given<T>

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
    ...(job.target.data === undefined ? [] : [["data", JSON.stringify(job.target.data)] as const]),
    ["missed", job.missed],
    ["overlap", job.overlap],
    ["jitter", job.jitter],
    ["next", job.nextAt ?? "never"],
    ["default of", job.declared && describeDefault(job.declared)],
    ["revision", job.revision],
    ["last run", job.lastRun && describeRun(job.lastRun)],
    ["problem", job.problem],
  ])

export abstract class TimerCommand extends DataCommand {
  at = Option.String("--at", {description: "Time: once, such as 2026-05-01T09:00"})
  after = Option.String("--in", {description: "Time: once, this long from now, such as 15m or 24h"})
  every = Option.String("--every", {description: "Time: at this interval, such as 15m or 24h"})
  cron = Option.String("--cron", {description: "Time: a cron expression of five fields, or six with seconds first"})
  timezone = Option.String("--timezone", {description: "The timezone of --at and --cron (default for --at: UTC)"})
  data = Option.String("--data", {description: "The JSON data for the handler"})

  /** Returns the named options, or undefined if there are none. The Host validates them. */
  when(): TimerWhen | undefined {
    const {at, after, every, cron, timezone} = this
    const when = given({at, in: after, every, cron, timezone})
    return Object.keys(when).length === 0 ? undefined : when
  }
}
