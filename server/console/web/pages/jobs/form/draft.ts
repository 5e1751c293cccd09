import type {DraftFinding} from "../../../../../../shared/api/scheduled/drafts.ts"
import {settingsOf} from "../../../../../../shared/api/scheduled/job-settings.ts"
import type {Job, JobChange, JobTarget, JobView} from "../../../../../../shared/api/scheduled/jobs.ts"
import type {Priority} from "../../../../../../shared/api/workroom.ts"
import {texts} from "../../../texts/texts.ts"

/** A job in its form: every field is text, whatever the job's target. */
export interface Filled {
  id: string
  label: string
  enabled: boolean
  when: "cron" | "every" | "at"
  cron: string
  every: string
  from: string
  at: string
  timezone: string
  target: "message" | "plugin" | "item" | "agent"
  endpoint: string
  channel: string
  text: string
  plugin: string
  data: string
  agent: string
  question: string
  title: string
  description: string
  priority: Priority
  labels: string
  assignee: string
  missed: "skip" | "once" | "all"
  overlap: "skip" | "queue"
  jitter: string
}

export const blankJob = (timezone: string): Filled => ({
  id: "",
  label: "",
  enabled: true,
  when: "cron",
  cron: "0 9 * * *",
  every: "",
  from: "",
  at: "",
  timezone,
  target: "message",
  endpoint: "",
  channel: "",
  text: "",
  plugin: "",
  data: "",
  agent: "",
  question: "",
  title: "",
  description: "",
  priority: "normal",
  labels: "",
  assignee: "",
  missed: "skip",
  overlap: "skip",
  jitter: "",
})

const kindOf = ({agent, plugin, item}: JobTarget): Filled["target"] => {
  if (agent !== undefined) return "agent"
  if (plugin !== undefined) return "plugin"
  return item === undefined ? "message" : "item"
}

const json = (value: unknown): string => (value === undefined ? "" : JSON.stringify(value, undefined, 2))

/** Returns an existing job as form values. */
export const filledOf = (job: JobView): Filled => {
  const {schedule, target} = job
  const {item, agent} = target
  return {
    ...blankJob(job.timezone),
    id: job.id,
    label: job.label ?? "",
    enabled: job.enabled,
    when: schedule.cron !== undefined ? "cron" : schedule.every !== undefined ? "every" : "at",
    cron: schedule.cron ?? "",
    every: schedule.every ?? "",
    from: schedule.from ?? "",
    at: schedule.at ?? "",
    target: kindOf(target),
    endpoint: target.endpoint ?? item?.conversation?.endpoint ?? "",
    channel: target.channel ?? item?.conversation?.channel ?? "",
    text: agent === undefined ? (target.text ?? "") : "",
    plugin: target.plugin === undefined ? "" : `${target.plugin}/${target.job ?? ""}`,
    data: json(target.data),
    agent: agent ?? "",
    question: agent === undefined ? "" : (target.text ?? ""),
    title: item?.title ?? "",
    description: item?.description ?? "",
    priority: item?.priority ?? "normal",
    labels: item?.labels?.join(", ") ?? "",
    assignee: item?.assignee ?? "",
    missed: job.missed,
    overlap: job.overlap,
    jitter: job.jitter ?? "",
  }
}

/** Returns the key only if its field is not empty. */
const some = <Key extends string>(key: Key, text: string): {[K in Key]?: string} =>
  (text.trim() === "" ? {} : {[key]: text.trim()}) as {[K in Key]?: string}

/** Parses JSON that the user types; an empty text is no value. */
export const readData = (text: string): {readonly value?: unknown; readonly wrong?: string} => {
  if (text.trim() === "") return {}
  try {
    return {value: JSON.parse(text)}
  } catch (error) {
    return {wrong: texts.scheduling.notJson(error instanceof Error ? error.message : String(error))}
  }
}

const scheduleOf = ({when, cron, every, from, at}: Filled) => {
  if (when === "cron") return {cron: cron.trim()}
  return when === "every" ? {every: every.trim(), ...some("from", from)} : {at: at.trim()}
}

const itemOf = ({title, description, priority, labels, assignee, endpoint, channel}: Filled) => {
  const all = labels.split(/[\s,]+/).filter(label => label !== "")
  return {
    title: title.trim(),
    ...some("description", description),
    ...(priority === "normal" ? {} : {priority}),
    ...(all.length === 0 ? {} : {labels: all}),
    ...some("assignee", assignee),
    ...(endpoint.trim() === "" && channel.trim() === ""
      ? {}
      : {conversation: {endpoint: endpoint.trim(), channel: channel.trim()}}),
  }
}

const targetOf = (filled: Filled): JobTarget => {
  const {target, endpoint, channel, text, plugin, agent, question} = filled
  if (target === "message") return {endpoint: endpoint.trim(), channel: channel.trim(), text}
  if (target === "item") return {item: itemOf(filled)}
  if (target === "agent") {
    return {agent: agent.trim(), text: question, ...some("endpoint", endpoint), ...some("channel", channel)}
  }
  const [name = "", job = ""] = plugin.split("/")
  const {value} = readData(filled.data)
  return {plugin: name, job, ...(value === undefined ? {} : {data: value})}
}

/** Returns the job that the form describes, as the file would have it. It may be invalid. */
export const jobOf = (filled: Filled): Job => ({
  id: filled.id.trim(),
  ...some("label", filled.label),
  ...(filled.enabled ? {} : {enabled: false}),
  schedule: scheduleOf(filled),
  timezone: filled.timezone.trim(),
  target: targetOf(filled),
  ...(filled.missed === "skip" ? {} : {missed: filled.missed}),
  ...(filled.overlap === "skip" ? {} : {overlap: filled.overlap}),
  ...some("jitter", filled.jitter),
})

/** Returns the errors that only the page can find. */
export const ownFindings = ({target, data}: Filled): readonly DraftFinding[] => {
  const {wrong} = target === "plugin" ? readData(data) : {}
  return wrong === undefined ? [] : [{path: "target.data", message: wrong}]
}

/** Returns the whole job as a change of one revision. */
export const changeOf = (filled: Filled, expectedRevision: string): JobChange => {
  const {id: _, ...job} = jobOf(filled)
  const clear = (["label", "missed", "overlap", "jitter"] as const).filter(key => job[key] === undefined)
  return {...job, enabled: filled.enabled, clear, expectedRevision}
}

/** Returns a text that is equal for equal values, whatever the order of their keys. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  )

/** Does an existing job equal the form's input? */
export const isSaid = (job: JobView, filled: Filled): boolean =>
  canonical({id: job.id, ...settingsOf(job)}) === canonical(jobOf(filled))

/** Returns the fields in which two versions differ, with both values. */
export const differences = (
  theirs: Filled,
  yours: Filled,
): readonly {readonly field: keyof Filled; readonly theirs: string; readonly yours: string}[] =>
  (Object.keys(yours) as (keyof Filled)[]).flatMap(field =>
    theirs[field] === yours[field] ? [] : [{field, theirs: String(theirs[field]), yours: String(yours[field])}],
  )

/** The form field for a path of the API. */
const fieldsOfPaths: Readonly<Record<string, keyof Filled>> = {
  "schedule.cron": "cron",
  "schedule.every": "every",
  "schedule.from": "from",
  "schedule.at": "at",
  "target.job": "plugin",
  "target.item.title": "title",
  "target.item.description": "description",
  "target.item.priority": "priority",
  "target.item.labels": "labels",
  "target.item.assignee": "assignee",
  "target.item.conversation": "channel",
}

export const fieldOf = (path: string, filled: Filled): keyof Filled | undefined => {
  const known = Object.entries(fieldsOfPaths).find(([start]) => path === start || path.startsWith(`${start}.`))
  if (path === "target.item.conversation.endpoint") return "endpoint"
  if (known !== undefined) return known[1]
  if (path === "schedule") return filled.when
  if (path === "target")
    return filled.target === "message" ? "endpoint" : filled.target === "item" ? "title" : filled.target
  const last = path.replace(/^target\./, "").split(/[.[]/)[0] ?? ""
  if (last === "text") return filled.target === "agent" ? "question" : "text"
  return last in filled ? (last as keyof Filled) : undefined
}
