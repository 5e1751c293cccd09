import type {AlertCode} from "../../../shared/alerts/items.ts"
import type {AlertFacts, Backlog, FactReadings} from "../../../shared/attention/alert-facts.ts"
import {findingsOf} from "../../../shared/attention/find.ts"
import {countStarts, readFirstStart} from "../../database/state/runs.ts"
import {viewPlugins} from "../../generation/routes/plugin-views.ts"
import type {RunningGeneration} from "../../generation/running-generation.ts"
import type {Condition, Seen} from "../../metrics/alerts/condition.ts"
import {FigureWatch} from "../../metrics/alerts/figures.ts"
import {MemoryWatch, memoryCondition} from "../../metrics/alerts/memory.ts"
import {conditionsOf} from "../../metrics/alerts/words.ts"
import {Allocations} from "../../runtime/flow/allocations.ts"
import {every, once} from "../../runtime/flow/remember.ts"
import {withTimeLimit} from "../../runtime/flow/time-limit.ts"
import type {Parts} from "../open/parts.ts"
import type {Sources} from "../parts/sources.ts"

/** The longest wait for a slow reading, in milliseconds. After it, the alerts of that reading stay as they are. */
const readLimit = 5000

/** The interval of looks at what holds growing memory, in milliseconds. Each collects garbage. */
const heldEvery = 3_600_000

/** The alerts that stay as they are while a fact is unknown. The readings of other facts must not fail. */
const codesOf: Readonly<Record<string, readonly AlertCode[]>> = {
  inbox: ["inbox_aside", "inbox_stuck"],
  outbox: ["outbox_aside", "outbox_stuck"],
  database: ["disk_filling"],
  jobs: ["jobs_failed", "jobs_unreachable"],
  agents: [
    "approvals_waiting",
    "agents_wrong",
    "mcp_failed",
    "mcp_sign_in",
    "mcp_changed",
    "agents_failed",
    "agents_held",
  ],
  gaps: ["endpoint_gap"],
  capacity: ["database_capacity"],
  disk: ["disk_full"],
  agentEnds: ["agent_failures"],
  starts: ["restarts"],
  firstStart: ["checkpoint_missing"],
} satisfies Partial<Record<keyof AlertFacts, readonly AlertCode[]>>

/** The facts that belong to no single part. */
export const hostFacts = ({identity, database, logs, running, handlers}: Sources) =>
  ({
    plugins: () => viewPlugins(running.require(), handlers),
    starts: once(() => countStarts(database, identity.startedAt)),
    firstStart: once(() => readFirstStart(database)),
    startedAt: () => identity.startedAt,
    errors: () => logs.written.error + logs.written.fatal,
    databaseFailure: () => (database.state.is === "initialized" ? database.state.failure : undefined),
    databaseDamage: () => (database.state.is === "initialized" ? database.state.damage : undefined),
  }) satisfies FactReadings

/** Creates a function that looks at the Host as its console does, and at the figures that only alerts need. */
export const createLook = (running: RunningGeneration, parts: Pick<Parts, "facts">): (() => Promise<Seen>) => {
  const watch = new FigureWatch()
  const memory = new MemoryWatch()
  const allocations = new Allocations()
  const ownerOf = (script: string) =>
    running.require().instances.find(({files}) => files.some(file => script.includes(file)))?.name
  const held = every(heldEvery, () => allocations.held(ownerOf))
  return async () => {
    const unknown = new Set<AlertCode>()
    const facts = await readFacts(parts.facts, unknown)
    const aside = {inbox: asideIn(facts.inbox), outbox: asideIn(facts.outbox)}
    const found = findingsOf({...facts, aside})
      .flatMap(conditionsOf)
      .map(condition => sinceStart(condition, facts))
    const grown = memory.take(process.memoryUsage.rss(), performance.now())
    const growing = grown === undefined ? [] : [memoryCondition(grown, await held().catch(() => undefined))]
    return {conditions: [...found, ...watch.conditions(facts, Date.now()), ...growing], unknown}
  }
}

/** Those that wait for a person. */
const asideIn = ({byState, missed = 0}: Backlog = {byState: {}, oldestAge: new Map()}): number =>
  ["failed", "dead", "unknown", "held"].reduce((sum, state) => sum + (byState[state] ?? 0), missed)

/** Reads all facts, at most for five seconds each. Adds to `unknown` the alerts about facts that could not be read. */
export const readFacts = async (readings: FactReadings, unknown: Set<AlertCode>): Promise<AlertFacts> => {
  const read = async ([name, reading]: readonly [string, () => unknown]) => {
    try {
      return [name, await withTimeLimit(readLimit, async () => reading())]
    } catch (error) {
      if (codesOf[name] === undefined) throw error
      for (const code of codesOf[name]) unknown.add(code)
      return [name, undefined]
    }
  }
  // The parts of a Host read every fact.
  return Object.fromEntries(await Promise.all(Object.entries(readings).map(read))) as AlertFacts
}

/** Adds times that no view has: since when a checkpoint could exist, and when the Host found the killed run. */
const sinceStart = (condition: Condition, {startedAt, firstStart}: Pick<AlertFacts, "startedAt" | "firstStart">) => {
  const known: Partial<Record<AlertCode, number | undefined>> = {unclean_end: startedAt, checkpoint_missing: firstStart}
  const since = known[condition.code]
  return since === undefined ? condition : {...condition, since}
}
