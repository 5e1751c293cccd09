import {Option} from "clipanion"
import type {JobChange, JobTarget, JobView, Schedule} from "../../../shared/api/scheduled/jobs.ts"
import {messageOf, Problem} from "../../../shared/problems.ts"
import type {Static} from "../../../shared/type.ts"
import {facts} from "../print.ts"
import {DataCommand} from "../svc-command.ts"
import {type JobsAccess, openJobs} from "./jobs-access.ts"

/** What the commands on scheduled jobs share. */
export abstract class ScheduleCommand extends DataCommand {
  /** The jobs of the running Host, else of the file. */
  jobs(): Promise<JobsAccess> {
    return openJobs(this.folder, `svc ${this.path.join(" ")}`)
  }

  showJob(job: Static<typeof JobView>): void {
    this.show(job, () => describeJob(job))
  }
}

/** The options that say when a job comes. */
export abstract class TimedCommand extends ScheduleCommand {
  cron = Option.String("--cron", {description: "When: five fields, or six with seconds first"})
  every = Option.String("--every", {description: "When: each time so much has passed, such as 15m or 24h"})
  from = Option.String("--from", {description: "What --every counts from, such as 2026-05-01T09:00"})
  at = Option.String("--at", {description: "When: once, at 2026-05-01T09:00"})
  timezone = Option.String("--timezone", {description: "Whose clock, such as Europe/London"})
  jitter = Option.String("--jitter", {description: "Fire up to so much later, such as 5m"})

  schedule(): Schedule | undefined {
    const {cron, every, from, at} = this
    const schedule = given({cron, every, from, at})
    return Object.keys(schedule).length === 0 ? undefined : schedule
  }
}

/** The options that say what a job is. */
export abstract class JobCommand extends TimedCommand {
  endpoint = Option.String("--endpoint", {description: "What: a message through this endpoint, or an agent's answer"})
  channel = Option.String("--channel", {description: "Where the message or the answer goes"})
  text = Option.String("--text", {description: "The message, or what the agent is asked"})
  agent = Option.String("--agent", {description: "What: ask this agent --text"})
  plugin = Option.String("--plugin", {description: "What: a job that this plugin declares"})
  job = Option.String("--job", {description: "The name of the plugin's job"})
  data = Option.String("--data", {description: "JSON that the plugin's job gets"})
  item = Option.String("--item", {description: 'What: a work item, as JSON such as {"title": "…"}'})
  label = Option.String("--label", {description: "For people"})
  missed = Option.String("--missed", {description: "Due times that were missed: skip (default), once, all"})
  overlap = Option.String("--overlap", {description: "A due time while a run is open: skip (default), queue"})

  /** What was named; what is wrong with it, the Host says. */
  change(): JobChange {
    const {label, timezone, jitter} = this
    const schedule = this.schedule()
    const target = this.#target()
    return {
      ...given({label, timezone, jitter}),
      ...(schedule === undefined ? {} : {schedule}),
      ...(target === undefined ? {} : {target}),
      // The schema of the file has the words that these may be.
      ...given({missed: this.missed as JobChange["missed"], overlap: this.overlap as JobChange["overlap"]}),
    }
  }

  #target(): JobTarget | undefined {
    const {endpoint, channel, text, agent, plugin, job} = this
    const target: JobTarget = {
      ...given({endpoint, channel, text, agent, plugin, job}),
      ...(this.data === undefined ? {} : {data: readJson("--data", this.data)}),
      ...(this.item === undefined ? {} : {item: readJson("--item", this.item) as NonNullable<JobTarget["item"]>}),
    }
    return Object.keys(target).length === 0 ? undefined : target
  }
}

type Given<T> = {[K in keyof T]?: Exclude<T[K], undefined>}

export const given = <T extends Readonly<Record<string, unknown>>>(options: T): Given<T> =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Given<T>

/** The JSON of an option. Throws `request_invalid`. */
export const readJson = (option: string, text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Problem("request_invalid", `${option} is not JSON: ${messageOf(cause)}`, {cause})
  }
}

/** `cron 0 9 * * MON-FRI`, `every 15m from …`, `at …` */
export const describeSchedule = ({cron, every, from, at}: Schedule): string => {
  if (cron !== undefined) return `cron ${cron}`
  if (every !== undefined) return `every ${every}${from === undefined ? "" : ` from ${from}`}`
  return `at ${at}`
}

/** `message to irc~libera #team`, `job digest of team`, `work item water the plants`, `agent helper for irc~libera #team` */
export const describeTarget = ({endpoint, channel, agent, plugin, job, item}: JobTarget): string => {
  if (agent !== undefined)
    return `agent ${agent}${endpoint === undefined ? "" : ` for ${endpoint} ${channel ?? ""}`}`.trim()
  if (endpoint !== undefined) return `message to ${endpoint} ${channel ?? ""}`.trim()
  return plugin === undefined ? `work item ${item?.title ?? ""}`.trim() : `job ${job} of ${plugin}`
}

/** `succeeded at 2026-05-01T09:00:01.000Z` */
const describeRun = ({state, reason, endedAt}: NonNullable<Static<typeof JobView>["lastRun"]>): string =>
  `${state}${reason === null ? "" : ` (${reason})`} at ${endedAt}`

/** `plugin team: cron 0 3 * * *, UTC; written once, and what the file says holds` */
const describeDefault = ({plugin, schedule, timezone}: NonNullable<Static<typeof JobView>["declared"]>): string =>
  `plugin ${plugin}: ${describeSchedule(schedule)}, ${timezone}; written once, what the file says now holds`

export const describeJob = (job: Static<typeof JobView>): string =>
  facts([
    ["id", job.id],
    ...(job.label === undefined ? [] : [["label", job.label] as const]),
    ["enabled", job.enabled ? "yes" : "no"],
    ["schedule", describeSchedule(job.schedule)],
    ["timezone", job.timezone],
    ["target", describeTarget(job.target)],
    ...(job.target.text === undefined ? [] : [["text", job.target.text] as const]),
    ...(job.target.data === undefined ? [] : [["data", JSON.stringify(job.target.data)] as const]),
    ["missed", job.missed],
    ["overlap", job.overlap],
    ...(job.jitter === undefined ? [] : [["jitter", job.jitter] as const]),
    ["next", job.nextAt ?? "never"],
    ...(job.declared === null ? [] : [["default of", describeDefault(job.declared)] as const]),
    ["revision", job.revision],
    ...(job.lastRun === null ? [] : [["last run", describeRun(job.lastRun)] as const]),
    ...(job.problem === null ? [] : [["problem", job.problem] as const]),
  ])
