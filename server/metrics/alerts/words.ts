import type {AlertCode} from "../../../shared/alerts/items.ts"
import type {Finding, FindingOf} from "../../../shared/attention/finding.ts"
import type {Condition} from "./condition.ts"

/** A text of a platform's or of a plugin's may be long, and have lines. */
const short = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim()
  return line.length <= 300 ? line : `${line.slice(0, 299)}…`
}

const many = (count: number, one: string, more: string): string => `${count} ${count === 1 ? one : more}`

const at = (time: string | null | undefined): {readonly since?: number} =>
  time === null || time === undefined ? {} : {since: Date.parse(time)}

type Words = {
  readonly [C in Finding["code"]]: (found: FindingOf<C>) => readonly Omit<Condition, "code">[] | Omit<Condition, "code">
}

/** Findings whose alert has another code. */
const codes: Partial<Record<Finding["code"], AlertCode>> = {
  required_endpoint_offline: "endpoint_offline",
  items_overdue: "workroom_overdue",
}

const offline = ({endpoint}: FindingOf<"endpoint_offline"> | FindingOf<"required_endpoint_offline">) => {
  const {name, state, since, error, reason, attempt, required, remediation} = endpoint
  const why = error ?? reason
  return {
    subject: name,
    title: `${name} is not connected`,
    text: [
      `The endpoint is ${state}${required ? ", and readiness requires it" : ""}.`,
      ...(attempt === undefined ? [] : [`Tried ${many(attempt, "time", "times")}.`]),
      ...(why === undefined ? [] : [`The last error: ${short(why)}`]),
    ].join(" "),
    remediation: {
      text: remediation ?? "Correct what the last error names; the endpoint retries by itself unless it failed.",
      command: state === "failed" ? `svc endpoint reconnect ${name}` : `svc endpoint show ${name}`,
    },
    endpoint: name,
    ...at(since),
  }
}

const makeCheckpoint = {
  text: "See what is wrong with those that there are, then make one; it is verified.",
  command: "svc checkpoint create",
} as const

const words: Words = {
  required_endpoint_offline: offline,
  endpoint_offline: offline,
  not_ready: ({component: {kind, name, message, remediation, since}}) => ({
    subject: `${kind} ${name}`,
    title: `${name} is not ready`,
    text: `Readiness requires the ${kind}. ${message}`,
    remediation: remediation ?? {text: "Read the readiness report.", command: "svc doctor --live <url>"},
    ...(kind === "endpoint" ? {endpoint: name} : {}),
    ...at(since),
  }),
  ingress_paused: ({ingress: {reasons, since}}) => ({
    title: "Ingress is paused",
    text: `No event comes in and nothing new is sent: ${reasons.join(", ")}.`,
    remediation: {
      text: "Resume it if nobody works on it; a pause for the disk ends by itself once there is space.",
      command: `svc ingress resume${reasons.includes("release") ? " --reason release" : ""}`,
    },
    ...at(since),
  }),
  generation_refused: ({failure: {at: when, code, issues}}) => ({
    title: "The newest configuration was refused",
    text: `The generation before it goes on. ${short(issues?.[0] ?? code)}`,
    remediation: {text: "Correct the configuration, then reload it.", command: "svc config check"},
    ...at(when),
  }),
  checkpoint_failed: ({failure: {at: when, code, detail}}) => ({
    title: "The last checkpoint was not made or not verified",
    text: short(detail ?? code),
    remediation: {text: "Correct what it says, and make another one.", command: "svc checkpoint create"},
    ...at(when),
  }),
  checkpoint_missing: () => ({
    title: "There is no verified checkpoint",
    text: "Nothing could be restored.",
    remediation: makeCheckpoint,
  }),
  checkpoint_old: ({age}) => ({
    title: "The newest verified checkpoint is old",
    text: `It is ${many(Math.floor(age / 86_400), "day", "days")} old: what happened since could not be restored.`,
    remediation: makeCheckpoint,
  }),
  last_good: ({lastGood: {generation, why}}) => ({
    title: "The project does not start",
    text: `The last good generation ${generation} runs instead, and the Host is not ready. ${short(why ?? "")}`,
    remediation: {text: "Correct what keeps the project from starting, then restart.", command: "svc runtime restart"},
  }),
  pinned: ({generation}) => ({
    title: `Generation ${generation} is pinned`,
    text: "The configuration file is not taken until it changes or the pin is taken back.",
    remediation: {text: "Unpin it once the file is right.", command: "svc generation unpin"},
  }),
  no_supervisor: () => ({
    title: "No supervisor restarts this Host",
    text: "It runs in production without a supervisor that svc knows of.",
    remediation: {text: "Run it under one.", command: "svc service install"},
  }),
  unclean_end: () => ({
    title: "The run before this one was killed",
    text: "The Host took up what was under way; a message that was being sent may be unknown.",
    remediation: {
      text: "Look for the reason: out of memory, a lost machine, kill -9. Then see what was cut off.",
      command: "svc logs --run previous",
    },
  }),
  plugin_failed: ({plugin: {name, state, error, since}}) => ({
    subject: name,
    title: `The plugin ${name} is ${state}`,
    text: `Nothing that it publishes is there. ${short(error ?? "")}`,
    remediation: {text: "Correct the plugin, then reload.", command: "svc runtime reload"},
    ...at(since),
  }),
  plugin_failing: ({plugin: {name, handlers}}) => ({
    subject: name,
    title: `The plugin ${name} keeps failing`,
    text: [
      `${handlers?.hour.failed ?? 0} of ${handlers?.hour.ended ?? 0} attempts failed in the last hour.`,
      ...(handlers?.lastFailure == null ? [] : [`The last error: ${short(handlers.lastFailure.error)}`]),
    ].join(" "),
    remediation: {text: "Correct it, or disable it if it does harm.", command: `svc plugin disable ${name}`},
  }),
  inbox_aside: ({count}) => ({
    title: `${many(count, "handler", "handlers")} of inbox events failed or are held`,
    text: "These events are only partly answered, and wait for a decision.",
    remediation: {text: "Look at them, then retry, release or discard.", command: "svc inbox list --state dead"},
    value: count,
  }),
  outbox_aside: ({count}) => ({
    title: `${many(count, "message", "messages")} did not go out, or may not have`,
    text: "They are failed, dead, unknown or held, and wait for a decision.",
    remediation: {text: "Look at them, then retry, release or discard.", command: "svc outbox list --state dead"},
    value: count,
  }),
  jobs_refused: ({detail}) => ({
    title: "The job file was refused",
    text: `The jobs before it go on. ${short(detail)}`,
    remediation: {text: "Correct data/schedule-jobs.json.", command: "svc schedule list"},
  }),
  jobs_failed: ({jobs}) =>
    jobs.map(({id, lastRun}) => ({
      subject: id,
      title: `The job ${id} failed when it last ran`,
      text: `Reason: ${lastRun?.reason ?? "unknown"}. It is not repeated by itself.`,
      remediation: {text: "Read why, and run it again once that is right.", command: `svc schedule runs ${id}`},
      ...(lastRun === null ? {} : {runId: lastRun.runId, ...at(lastRun.endedAt)}),
    })),
  jobs_unreachable: ({jobs}) =>
    jobs.map(({id, problem}) => ({
      subject: id,
      title: `The job ${id} cannot reach its target`,
      text: short(problem ?? ""),
      remediation: {text: "Correct the job, or what it names.", command: `svc schedule show ${id}`},
    })),
  approvals_waiting: ({approvals}) => ({
    title: `${many(approvals.length, "call of an agent waits", "calls of agents wait")} for a person`,
    text: `Agents: ${[...new Set(approvals.map(({agent}) => agent))].join(", ")}. Nobody's decision in time denies them.`,
    remediation: {text: "Approve or deny.", command: "svc agent runs --state waiting"},
    ...(approvals[0] === undefined
      ? {}
      : {runId: approvals[0].runId, since: Math.min(...approvals.map(({askedAt}) => Date.parse(askedAt)))}),
  }),
  agents_wrong: ({agents}) =>
    agents.map(({name, problem, reason}) => ({
      subject: name,
      title: `The agent ${name} is not configured`,
      text: short(problem ?? reason ?? ""),
      remediation: {text: "Correct the binding in svc.config.yml, then reload.", command: "svc config check"},
    })),
  agents_failed: ({agents}) =>
    agents.map(({name, lastRun}) => ({
      subject: name,
      title: `The last run of the agent ${name} failed`,
      text: `Reason: ${lastRun?.reason ?? "unknown"}. It does not start again by itself.`,
      remediation: {text: "The run says why.", command: `svc agent runs --agent ${name} --state failed`},
      ...(lastRun === null ? {} : {runId: lastRun.runId, ...at(lastRun.endedAt)}),
    })),
  agents_held: ({agents, runs}) => ({
    title: `${many(runs, "run of an agent is", "runs of agents are")} held since a restore`,
    text: `Agents: ${agents.map(({name}) => name).join(", ")}.`,
    remediation: {text: "Look at them, then release or discard.", command: "svc agent runs --state held"},
  }),
  disk_filling: ({daysLeft}) => ({
    title: "The disk fills up",
    text: `At this rate ingress pauses in ${many(Math.floor(daysLeft), "day", "days")}.`,
    remediation: {text: "Free space, or shorten what is kept (retention).", command: "svc database info"},
  }),
  items_overdue: ({count}) => ({
    title: `${many(count, "blocked work item is", "blocked work items are")} overdue`,
    text: "The deadline of what they wait for has passed.",
    remediation: {text: "Ask who is to end the blocker.", command: "svc workroom list --state blocked"},
    value: count,
  }),
}

/** What needs attention, as alerts say it. */
export const conditionsOf = (found: Finding): readonly Condition[] => {
  const said = (words[found.code] as (found: Finding) => ReturnType<Words[Finding["code"]]>)(found)
  const code = codes[found.code] ?? (found.code as AlertCode)
  return (Array.isArray(said) ? said : [said]).map(each => ({code, ...each}))
}
