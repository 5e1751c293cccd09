import type {Standings} from "../../../shared/agents/standing.ts"
import type {Component, ReadinessReport} from "../../../shared/api/readiness.ts"
import {omitUndefined} from "../../../shared/json.ts"
import {checkAgent, checkDatabase, checkEndpoint, checkProject, checkSpace} from "./checks.ts"
import type {Facts} from "./facts.ts"

const time = (at: number) => new Date(at).toISOString()

/** Creates a report from facts, without I/O and without a clock. It lists every check, also the passing ones. */
export const createReport = (facts: Facts): ReadinessReport => {
  const {generation, authority, failure, uncommitted, checkpoint, checkpointFailure} = facts
  const components: Component[] = generation === undefined ? [] : componentsOf(facts)
  const ready = generation !== undefined && components.every(component => component.ready || !component.required)
  return {
    schema: "svc.readiness/1",
    ready,
    generation: generation?.number ?? null,
    ...(facts.isProvisional ? {provisional: true} : {}),
    committedAt: generation === undefined || facts.isProvisional ? null : time(generation.committedAt),
    checkedAt: time(facts.now),
    ...omitUndefined({authority, lastFailure: failure, uncommitted: uncommitted ?? undefined}),
    ...omitUndefined({checkpoint, checkpointFailure}),
    ingress: facts.ingress ?? {state: "open", reasons: [], since: time(facts.startedAt)},
    components: generation === undefined ? [databaseOf(facts)] : components,
  }
}

/** The only check before a generation runs. */
const databaseOf = (facts: Facts): Component =>
  facts.noSpace === undefined
    ? requiredOf(facts, "", databaseTime(facts)).database
    : checkSpace(facts.noSpace, time(facts.startedAt))

const databaseTime = ({databaseFailure, databaseDamage, startedAt}: Facts): string =>
  time(databaseFailure?.since ?? databaseDamage?.since ?? startedAt)

/** Describes a report in one line. */
export const describeReport = ({ready, components}: ReadinessReport): string => {
  const open = components.filter(component => component.required && !component.ready)
  return ready ? "ready" : `not ready: ${open.map(({kind, name, reason}) => `${kind} ${name} (${reason})`).join(", ")}`
}

/** The `ready` of the report without the report itself: probes ask for it all the time. */
export const isEveryRequiredReady = (facts: Facts): boolean => {
  if (facts.generation === undefined || facts.notStarted !== undefined) return false
  // The times are unused: a probe need not format dates.
  const {database, endpoints, agents} = requiredOf(facts, "", "")
  return (database.ready || !database.required) && endpoints.every(isReady) && agents.every(isReady)
}

const isReady = ({ready}: Component): boolean => ready

const requiredOf = (facts: Facts, since: string, databaseSince: string) => {
  const {required} = facts
  const seen = required.endpoints.length === 0 ? nothingSeen : seenIn(facts)
  const agents = required.agents.length === 0 ? noAgents : facts.agents
  return {
    database: checkDatabase(facts, databaseSince),
    endpoints: required.endpoints.map(selector => checkEndpoint(selector, seen, since, true)),
    agents: required.agents.map(name => checkAgent(name, standingOf(agents, name), since, true)),
  }
}

const nothingSeen = {endpoints: [], plugins: {}}
const noAgents: Standings = {}

const standingOf = (agents: Standings, name: string) => (Object.hasOwn(agents, name) ? agents[name] : undefined)

/** Read once: a getter of the facts may compute its value at each access. */
const seenIn = ({endpoints, plugins, ingress, isPinned, isProvisional}: Facts) => ({
  endpoints,
  plugins,
  ingress,
  isPinned,
  isProvisional,
})

const componentsOf = (facts: Facts): Component[] => {
  const {required, agents} = facts
  const seen = seenIn(facts)
  const since = time(facts.generation?.committedAt ?? facts.startedAt)
  const isRequired = (owner: string, name: string) =>
    required.endpoints.some(selector => selector.owner === owner && selector.name === name)
  const optional = seen.endpoints.filter(({owner, name}) => !isRequired(owner, name))
  const checked = requiredOf(facts, since, databaseTime(facts))
  const components = [
    ...(facts.notStarted === undefined ? [] : [checkProject(facts.notStarted, time(facts.startedAt))]),
    checked.database,
    ...checked.endpoints,
    ...optional.map(({owner, name}) => checkEndpoint({owner, name}, seen, since, false)),
    ...checked.agents,
    ...Object.keys(agents)
      .filter(name => !required.agents.includes(name))
      .map(name => checkAgent(name, standingOf(agents, name), since, false)),
  ]
  return components.toSorted((one, other) => urgencyOf(one) - urgencyOf(other))
}

/** Problems come first: components that are not ready, then ready ones with a remediation. */
const urgencyOf = ({required, ready, remediation}: Component): number => {
  if (!required) return 2
  if (!ready) return 0
  return remediation === undefined ? 2 : 1
}
