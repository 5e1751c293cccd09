import {isAdmittingOffline, isMissed} from "../endpoint-states.ts"
import type {AgentFinding, Facts, Finding} from "./finding.ts"

/** In seconds: an older checkpoint is reported. Two intervals of the default schedule. */
const oldCheckpoint = 2 * 86_400

/** A disk that will be too full within this many days is reported. */
const fewDays = 14

/** Returns what needs attention. The console's list and the Host's alerts both come from here, so they never differ. */
export const findingsOf = (facts: Facts): readonly Finding[] => [
  ...requiredEndpoints(facts),
  ...components(facts),
  ...ofStatus(facts),
  ...endpoints(facts),
  ...facts.endpoints
    .filter(({unreadable = []}) => unreadable.length > 0)
    .map(endpoint => ({code: "endpoint_deaf", endpoint}) as const),
  ...plugins(facts),
  ...aside(facts),
  ...jobs(facts),
  ...findAgents(facts),
  ...capacity(facts),
]

/** A Host of an older version does not say which endpoints are required. */
const isOfflineAndRequired = (endpoint: Facts["endpoints"][number]): boolean =>
  isMissed(endpoint) && isAdmittingOffline(endpoint.state)

const requiredEndpoints = ({endpoints: list}: Facts): Finding[] =>
  list.filter(isOfflineAndRequired).map(endpoint => ({code: "required_endpoint_offline", endpoint}))

const unready = ({report}: Pick<Facts, "report">) =>
  (report?.components ?? []).filter(({ready, required}) => !ready && required)

const components = (facts: Facts): Finding[] => unready(facts).map(component => ({code: "not_ready", component}))

const ofStatus = ({status}: Facts): Finding[] => {
  const {ingress, lastFailure, lastGood, pin, checkpointFailure, mode, supervisor, endedCleanly} = status
  const found: Finding[] = []
  if (ingress.state === "paused") found.push({code: "ingress_paused", ingress})
  if (lastFailure !== null) found.push({code: "generation_refused", failure: lastFailure})
  if (checkpointFailure !== null) found.push({code: "checkpoint_failed", failure: checkpointFailure})
  else found.push(...checkpoint(status))
  if (lastGood !== null) found.push({code: "last_good", lastGood})
  if (pin !== null) found.push({code: "pinned", generation: pin.number})
  if (mode === "production" && supervisor === "none") found.push({code: "no_supervisor"})
  if (!endedCleanly) found.push({code: "unclean_end"})
  return found
}

const checkpoint = ({checkpoint: newest}: Facts["status"]): Finding[] => {
  if (newest === null) return [{code: "checkpoint_missing"}]
  return newest.age > oldCheckpoint ? [{code: "checkpoint_old", age: newest.age}] : []
}

const endpoints = (facts: Facts): Finding[] => {
  const told = new Set(unready(facts).map(({name}) => name))
  return facts.endpoints
    .filter(({state, reason, name}) => state !== "online" && reason !== "no_account" && !told.has(name))
    .filter(endpoint => !isOfflineAndRequired(endpoint))
    .map(endpoint => ({code: "endpoint_offline", endpoint}))
}

const plugins = ({plugins: list}: Facts): Finding[] => [
  ...list
    .filter(({state}) => state === "failed" || state === "quarantined")
    .map((plugin): Finding => ({code: "plugin_failed", plugin})),
  ...list.filter(isFailing).map((plugin): Finding => ({code: "plugin_failing", plugin})),
]

/** An occasional failure is normal. A plugin is failing if at least three attempts failed, and at least half of all. */
const isFailing = ({state, handlers}: Facts["plugins"][number]): boolean =>
  state === "active" &&
  handlers !== undefined &&
  handlers.hour.failed >= 3 &&
  handlers.hour.failed * 2 >= handlers.hour.ended

const aside = ({aside: {inbox, outbox}}: Facts): Finding[] => [
  ...(inbox > 0 ? [{code: "inbox_aside", count: inbox} as const] : []),
  ...(outbox > 0 ? [{code: "outbox_aside", count: outbox} as const] : []),
]

const jobs = ({jobs: known}: Facts): Finding[] => {
  if (known === undefined) return []
  const {items, file} = known
  const on = items.filter(({enabled}) => enabled)
  const failed = on.filter(({lastRun}) => lastRun?.state === "failed")
  const unreachable = on.filter(({problem}) => problem !== null)
  return [
    ...(file.refused === null ? [] : [{code: "jobs_refused", detail: file.refused.detail} as const]),
    ...(failed.length === 0 ? [] : [{code: "jobs_failed", jobs: failed} as const]),
    ...(unreachable.length === 0 ? [] : [{code: "jobs_unreachable", jobs: unreachable} as const]),
  ]
}

/** Returns the findings about agents, first those that wait for a person. */
export const findAgents = (facts: Pick<Facts, "agents" | "report">): AgentFinding[] => {
  if (facts.agents === undefined) return []
  const {items, approvals} = facts.agents
  const told = new Set(unready(facts).map(({name}) => name))
  const on = items.filter(({enabled}) => enabled)
  const wrong = on.filter(({configured, name}) => !configured && !told.has(name))
  const broken = on.filter(({mcp}) => mcp.some(({state}) => state === "failed"))
  const unsigned = on.filter(({mcp}) => mcp.some(({state}) => state === "needs_sign_in"))
  const changed = on.filter(({mcp}) => mcp.some(({tools}) => tools.some(({state}) => state === "waiting")))
  const failed = on.filter(({lastRun}) => lastRun?.state === "failed")
  const held = items.filter(({runs}) => runs.held > 0)
  const runs = held.reduce((sum, agent) => sum + agent.runs.held, 0)
  return [
    ...(approvals.length === 0 ? [] : [{code: "approvals_waiting", approvals} as const]),
    ...(wrong.length === 0 ? [] : [{code: "agents_wrong", agents: wrong} as const]),
    ...(broken.length === 0 ? [] : [{code: "mcp_failed", agents: broken} as const]),
    ...(unsigned.length === 0 ? [] : [{code: "mcp_sign_in", agents: unsigned} as const]),
    ...(changed.length === 0 ? [] : [{code: "mcp_changed", agents: changed} as const]),
    ...(failed.length === 0 ? [] : [{code: "agents_failed", agents: failed} as const]),
    ...(held.length === 0 ? [] : [{code: "agents_held", agents: held, runs} as const]),
  ]
}

const capacity = ({database, workroom}: Facts): Finding[] => [
  ...(database?.daysLeft != null && database.daysLeft < fewDays
    ? [{code: "disk_filling", daysLeft: database.daysLeft, free: database.disk.free} as const]
    : []),
  ...(workroom.overdue > 0 ? [{code: "items_overdue", count: workroom.overdue} as const] : []),
]
