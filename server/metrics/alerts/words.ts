import type {AlertCode} from "../../../shared/alerts/items.ts"
import type {AgentMcpView} from "../../../shared/api/agents/agents.ts"
import type {Finding, FindingOf} from "../../../shared/attention/finding.ts"
import {resumeCommand} from "../../../shared/attention/resume.ts"
import type {Condition} from "./condition.ts"
import catalogue from "./words.json" with {type: "json"}

interface Texts {
  readonly title: string
  readonly text: string
  readonly remedy: string
  readonly command?: string
}

type Key = AlertCode | "endpoint_deaf" | "database_damaged"

const texts: Readonly<Record<Key, Texts>> = catalogue

type Values = Readonly<Record<string, string | number | undefined>>

/** Fills `{name}` and `{count|one|more}`. A part in brackets is there only if its values are. */
const fill = (text: string, values: Values): string => {
  const written = (part: string) =>
    part.replace(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (_, name: string, one?: string, more?: string) => {
      const value = values[name] ?? ""
      return one === undefined ? String(value) : `${value} ${value === 1 ? one : more}`
    })
  const isWhole = (part: string) => [...part.matchAll(/\{(\w+)/g)].every(([, name = ""]) => values[name] !== undefined)
  return text
    .split(/\[([^\]]*)\]/)
    .map((part, index) => (index % 2 === 0 || isWhole(part) ? written(part) : ""))
    .join("")
}

/** Returns a condition in the words of `words.json`. */
export const conditionOf = (
  code: AlertCode,
  values: Values = {},
  more: Partial<Condition> = {},
  key: Key = code,
): Condition => {
  const {title, text, remedy, command} = texts[key]
  const remediation = {text: fill(remedy, values), ...(command === undefined ? {} : {command: fill(command, values)})}
  return {code, title: fill(title, values), text: fill(text, values), remediation, ...more}
}

/** Shortens a text of a platform or a plugin, which may be long and have several lines. */
const short = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim()
  return line.length <= 300 ? line : `${line.slice(0, 299)}…`
}

const at = (time: string | null | undefined): {readonly since?: number} =>
  time === null || time === undefined ? {} : {since: Date.parse(time)}

/** A value for a part that needs none: its presence says that the part is written. */
const when = (isWritten: boolean): "" | undefined => (isWritten ? "" : undefined)

type Words = {readonly [C in Finding["code"]]: (found: FindingOf<C>) => readonly Condition[] | Condition}

const serversIn = (
  code: "mcp_failed" | "mcp_sign_in",
  which: AgentMcpView["state"],
  agents: FindingOf<"mcp_failed">["agents"],
) =>
  agents.flatMap(({name, mcp}) =>
    mcp
      .filter(({state}) => state === which)
      .map(({name: server, error, since}) => {
        const values = {name, server, why: short(error ?? "")}
        return conditionOf(code, values, {subject: `${name} ${server}`, ...at(since)})
      }),
  )

const offline = ({endpoint}: FindingOf<"endpoint_offline"> | FindingOf<"required_endpoint_offline">) => {
  const {name, state, since, awaySince = since, error, reason, attempt, required, remediation} = endpoint
  const why = error ?? reason
  const values = {
    name,
    state,
    required: when(required),
    attempt,
    why: why === undefined ? undefined : short(why),
    remediation,
    usual: when(remediation === undefined),
    verb: state === "failed" ? "reconnect" : "show",
  }
  return conditionOf("endpoint_offline", values, {subject: name, endpoint: name, ...at(awaySince)})
}

const words: Words = {
  required_endpoint_offline: offline,
  endpoint_offline: offline,
  endpoint_deaf: ({endpoint: {name, unreadable = []}}) =>
    unreadable.map(({place, why, remediation}) => {
      const values = {name, place: short(place), why: short(why), remediation}
      return conditionOf("endpoint_gap", values, {subject: `${name} ${place}`, endpoint: name}, "endpoint_deaf")
    }),
  not_ready: ({component: {kind, name, message, remediation, since}}) =>
    conditionOf(
      "not_ready",
      {kind, name, message},
      {
        subject: `${kind} ${name}`,
        ...(remediation ? {remediation} : {}),
        ...(kind === "endpoint" ? {endpoint: name} : {}),
        ...at(since),
      },
    ),
  ingress_paused: ({ingress: {reasons, since}}) =>
    conditionOf("ingress_paused", {reasons: reasons.join(", "), command: resumeCommand(reasons)}, at(since)),
  generation_refused: ({failure: {at: time, code, issues}}) =>
    conditionOf("generation_refused", {why: short(issues?.[0] ?? code)}, at(time)),
  checkpoint_failed: ({failure: {at: time, code, detail}}) =>
    conditionOf("checkpoint_failed", {why: short(detail ?? code)}, at(time)),
  checkpoint_missing: () => conditionOf("checkpoint_missing"),
  checkpoint_old: ({age}) => conditionOf("checkpoint_old", {days: Math.floor(age / 86_400)}),
  last_good: ({lastGood: {generation, why}}) => conditionOf("last_good", {generation, why: short(why ?? "")}),
  pinned: ({generation}) => conditionOf("pinned", {generation}),
  no_supervisor: () => conditionOf("no_supervisor"),
  unclean_end: () => conditionOf("unclean_end"),
  plugin_failed: ({plugin: {name, state, error, since}}) =>
    conditionOf("plugin_failed", {name, state, why: short(error ?? "")}, {subject: name, ...at(since)}),
  plugin_failing: ({plugin: {name, handlers}}) => {
    const {failed = 0, ended = 0} = handlers?.hour ?? {}
    const why = handlers?.lastFailure == null ? undefined : short(handlers.lastFailure.error)
    return conditionOf("plugin_failing", {name, failed, ended, why}, {subject: name})
  },
  inbox_aside: ({count}) => conditionOf("inbox_aside", {count}, {value: count}),
  outbox_aside: ({count}) => conditionOf("outbox_aside", {count}, {value: count}),
  jobs_refused: ({detail}) => conditionOf("jobs_refused", {why: short(detail)}),
  jobs_failed: ({jobs}) =>
    jobs.map(({id, lastRun}) => {
      const run = lastRun === null ? {} : {runId: lastRun.runId, ...at(lastRun.endedAt)}
      return conditionOf("jobs_failed", {id, reason: lastRun?.reason ?? "unknown"}, {subject: id, ...run})
    }),
  jobs_unreachable: ({jobs}) =>
    jobs.map(({id, problem}) => conditionOf("jobs_unreachable", {id, why: short(problem ?? "")}, {subject: id})),
  approvals_waiting: ({approvals}) => {
    const agents = [...new Set(approvals.map(({agent}) => agent))].join(", ")
    const since = Math.min(...approvals.map(({askedAt}) => Date.parse(askedAt)))
    const first = approvals[0] === undefined ? {} : {runId: approvals[0].runId, since}
    return conditionOf("approvals_waiting", {calls: approvals.length, agents}, first)
  },
  agents_wrong: ({agents}) =>
    agents.map(({name, problem, reason}) =>
      conditionOf("agents_wrong", {name, why: short(problem ?? reason ?? "")}, {subject: name}),
    ),
  mcp_failed: ({agents}) => serversIn("mcp_failed", "failed", agents),
  mcp_sign_in: ({agents}) => serversIn("mcp_sign_in", "needs_sign_in", agents),
  mcp_changed: ({agents}) =>
    agents.flatMap(({name, mcp}) =>
      mcp.flatMap(({name: server, tools}) => {
        const waiting = tools.filter(({state}) => state === "waiting").map(tool => tool.name)
        if (waiting.length === 0) return []
        const values = {name, server, tools: short(waiting.join(", "))}
        return [conditionOf("mcp_changed", values, {subject: `${name} ${server}`})]
      }),
    ),
  agents_failed: ({agents}) =>
    agents.map(({name, lastRun}) => {
      const run = lastRun === null ? {} : {runId: lastRun.runId, ...at(lastRun.endedAt)}
      return conditionOf("agents_failed", {name, reason: lastRun?.reason ?? "unknown"}, {subject: name, ...run})
    }),
  agents_held: ({agents, runs}) => conditionOf("agents_held", {runs, agents: agents.map(({name}) => name).join(", ")}),
  disk_filling: ({daysLeft}) => conditionOf("disk_filling", {days: Math.floor(daysLeft)}),
  items_overdue: ({count}) => conditionOf("workroom_overdue", {count}, {value: count}),
}

/** Converts a finding to the conditions of its alert. */
export const conditionsOf = (found: Finding): readonly Condition[] =>
  [(words[found.code] as (found: Finding) => readonly Condition[] | Condition)(found)].flat()
