import type {AlertCode} from "../../../shared/alerts/items.ts"
import type {Finding, FindingOf} from "../../../shared/attention/finding.ts"
import {resumeCommand} from "../../../shared/attention/resume.ts"
import type {Condition} from "./condition.ts"

/** Shortens a text of a platform or a plugin, which may be long and have several lines. */
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

/** Findings whose alert has a different code. */
const codes: Partial<Record<Finding["code"], AlertCode>> = {
  required_endpoint_offline: "endpoint_offline",
  endpoint_deaf: "endpoint_gap",
  items_overdue: "workroom_overdue",
}

const offline = ({endpoint}: FindingOf<"endpoint_offline"> | FindingOf<"required_endpoint_offline">) => {
  const {name, state, since, awaySince = since, error, reason, attempt, required, remediation} = endpoint
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
      text:
        remediation ?? "Fix what the last error names. The endpoint retries automatically unless its state is failed.",
      command: state === "failed" ? `svc endpoint reconnect ${name}` : `svc endpoint show ${name}`,
    },
    endpoint: name,
    ...at(awaySince),
  }
}

const makeCheckpoint = {
  text: "Check the existing checkpoints for errors, then create one; svc verifies it.",
  command: "svc checkpoint create",
} as const

const words: Words = {
  required_endpoint_offline: offline,
  endpoint_offline: offline,
  endpoint_deaf: ({endpoint: {name, unreadable = []}}) =>
    unreadable.map(({place, why, remediation}) => ({
      subject: `${name} ${place}`,
      title: `${name} cannot read ${short(place)}`,
      text: `The endpoint is online, but gets no messages from there: ${short(why)}`,
      remediation: {text: remediation, command: `svc endpoint show ${name}`},
      endpoint: name,
    })),
  not_ready: ({component: {kind, name, message, remediation, since}}) => ({
    subject: `${kind} ${name}`,
    title: `${name} is not ready`,
    text: `Readiness requires the ${kind}. ${message}`,
    remediation: remediation ?? {text: "Read the readiness report.", command: "svc doctor"},
    ...(kind === "endpoint" ? {endpoint: name} : {}),
    ...at(since),
  }),
  ingress_paused: ({ingress: {reasons, since}}) => ({
    title: "Ingress is paused",
    text: `The Host accepts no events and sends no new messages: ${reasons.join(", ")}.`,
    remediation: {
      text: "Resume ingress if nobody needs the pause. A pause for a full disk ends once there is space.",
      command: resumeCommand(reasons),
    },
    ...at(since),
  }),
  generation_refused: ({failure: {at: when, code, issues}}) => ({
    title: "The newest configuration was refused",
    text: `The previous generation keeps running. ${short(issues?.[0] ?? code)}`,
    remediation: {text: "Fix the configuration, then reload it.", command: "svc runtime reload"},
    ...at(when),
  }),
  checkpoint_failed: ({failure: {at: when, code, detail}}) => ({
    title: "The last checkpoint failed or was not verified",
    text: short(detail ?? code),
    remediation: {text: "Fix the cause, then create another checkpoint.", command: "svc checkpoint create"},
    ...at(when),
  }),
  checkpoint_missing: () => ({
    title: "There is no verified checkpoint",
    text: "There is nothing to restore from.",
    remediation: makeCheckpoint,
  }),
  checkpoint_old: ({age}) => ({
    title: "The newest verified checkpoint is old",
    text: `It is ${many(Math.floor(age / 86_400), "day", "days")} old. A restore would lose everything since then.`,
    remediation: makeCheckpoint,
  }),
  last_good: ({lastGood: {generation, why}}) => ({
    title: "The project does not start",
    text: `The last good generation ${generation} runs instead, and the Host is not ready. ${short(why ?? "")}`,
    remediation: {text: "Fix what keeps the project from starting, then restart.", command: "svc runtime restart"},
  }),
  pinned: ({generation}) => ({
    title: `Generation ${generation} is pinned`,
    text: "The Host ignores the configuration file until it changes or the generation is unpinned.",
    remediation: {text: "Unpin it once the file is correct.", command: "svc generation unpin"},
  }),
  no_supervisor: () => ({
    title: "No supervisor restarts this Host",
    text: "It runs in production without a supervisor that svc knows of.",
    remediation: {text: "Run the Host under a supervisor.", command: "svc service install"},
  }),
  unclean_end: () => ({
    title: "The run before this one was killed",
    text: "The Host resumed the unfinished work. A message that was being sent may now be unknown.",
    remediation: {
      text: "Find the reason: out of memory, a lost machine, kill -9. Then check what was interrupted.",
      command: "svc logs --run previous",
    },
  }),
  plugin_failed: ({plugin: {name, state, error, since}}) => ({
    subject: name,
    title: `The plugin ${name} is ${state}`,
    text: `None of its capabilities is available. ${short(error ?? "")}`,
    remediation: {text: "Fix the plugin, then reload.", command: "svc runtime reload"},
    ...at(since),
  }),
  plugin_failing: ({plugin: {name, handlers}}) => ({
    subject: name,
    title: `The plugin ${name} keeps failing`,
    text: [
      `${handlers?.hour.failed ?? 0} of ${handlers?.hour.ended ?? 0} attempts failed in the last hour.`,
      ...(handlers?.lastFailure == null ? [] : [`The last error: ${short(handlers.lastFailure.error)}`]),
    ].join(" "),
    remediation: {text: "Fix the plugin, or disable it if it does harm.", command: `svc plugin disable ${name}`},
  }),
  inbox_aside: ({count}) => ({
    title: `${many(count, "handler of inbox events is", "handlers of inbox events are")} failed, dead or held`,
    text: "These events are only partly answered. They wait for a decision.",
    remediation: {text: "Inspect them, then retry, release or discard them.", command: "svc inbox list --state aside"},
    value: count,
  }),
  outbox_aside: ({count}) => ({
    title: `${many(count, "message was", "messages were")} not sent, or may not have been`,
    text: "They are failed, dead, unknown or held, or they are important and expired (--state expired). They wait for a decision.",
    remediation: {text: "Inspect them, then retry, release or discard them.", command: "svc outbox list --state aside"},
    value: count,
  }),
  jobs_refused: ({detail}) => ({
    title: "The job file was refused",
    text: `The previous jobs stay in force. ${short(detail)}`,
    remediation: {text: "Fix data/schedule-jobs.json.", command: "svc schedule list"},
  }),
  jobs_failed: ({jobs}) =>
    jobs.map(({id, lastRun}) => ({
      subject: id,
      title: `The last run of the job ${id} failed`,
      text: `Reason: ${lastRun?.reason ?? "unknown"}. svc does not repeat it automatically.`,
      remediation: {text: "Find and fix the reason, then run the job again.", command: `svc schedule runs ${id}`},
      ...(lastRun === null ? {} : {runId: lastRun.runId, ...at(lastRun.endedAt)}),
    })),
  jobs_unreachable: ({jobs}) =>
    jobs.map(({id, problem}) => ({
      subject: id,
      title: `The job ${id} cannot reach its target`,
      text: short(problem ?? ""),
      remediation: {text: "Fix the job, or the target that it names.", command: `svc schedule show ${id}`},
    })),
  approvals_waiting: ({approvals}) => ({
    title: `${many(approvals.length, "call of an agent waits", "calls of agents wait")} for a person`,
    text: `Agents: ${[...new Set(approvals.map(({agent}) => agent))].join(", ")}. Without a decision in time, svc denies them.`,
    remediation: {text: "Approve or deny them.", command: "svc agent runs --state waiting"},
    ...(approvals[0] === undefined
      ? {}
      : {runId: approvals[0].runId, since: Math.min(...approvals.map(({askedAt}) => Date.parse(askedAt)))}),
  }),
  agents_wrong: ({agents}) =>
    agents.map(({name, problem, reason}) => ({
      subject: name,
      title: `The agent ${name} is not configured`,
      text: short(problem ?? reason ?? ""),
      remediation: {text: "Fix the binding in svc.config.yml, then reload.", command: "svc runtime reload"},
    })),
  agents_failed: ({agents}) =>
    agents.map(({name, lastRun}) => ({
      subject: name,
      title: `The last run of the agent ${name} failed`,
      text: `Reason: ${lastRun?.reason ?? "unknown"}. svc does not start it again automatically.`,
      remediation: {text: "See the reason in the run.", command: `svc agent runs --agent ${name} --state failed`},
      ...(lastRun === null ? {} : {runId: lastRun.runId, ...at(lastRun.endedAt)}),
    })),
  agents_held: ({agents, runs}) => ({
    title: `${many(runs, "run of an agent is", "runs of agents are")} held`,
    text: `Agents: ${agents.map(({name}) => name).join(", ")}.`,
    remediation: {text: "Inspect them, then release or discard them.", command: "svc agent runs --state held"},
  }),
  disk_filling: ({daysLeft}) => ({
    title: "The disk is filling up",
    text: `At this rate ingress pauses in ${many(Math.floor(daysLeft), "day", "days")}.`,
    remediation: {text: "Free disk space, or keep less data (retention).", command: "svc database info"},
  }),
  items_overdue: ({count}) => ({
    title: `${many(count, "blocked work item is", "blocked work items are")} overdue`,
    text: "The deadline of their blocker has passed.",
    remediation: {text: "Ask the person who is to resolve the blocker.", command: "svc workroom list --state blocked"},
    value: count,
  }),
}

/** Converts a finding to the conditions of its alert. */
export const conditionsOf = (found: Finding): readonly Condition[] => {
  const said = (words[found.code] as (found: Finding) => ReturnType<Words[Finding["code"]]>)(found)
  const code = codes[found.code] ?? (found.code as AlertCode)
  return (Array.isArray(said) ? said : [said]).map(each => ({code, ...each}))
}
