import type {Standings} from "../../../shared/agents/standing.ts"
import type {CheckpointFailure, NewestCheckpoint} from "../../../shared/api/checkpoint.ts"
import type {UncommittedConfig} from "../../../shared/api/configuration/file.ts"
import type {IngressView} from "../../../shared/api/readiness.ts"
import type {Endpoint} from "../../endpoints/endpoint.ts"
import type {EndpointSpec} from "../../endpoints/spec.ts"
import {describeFailure} from "../../generation/draft.ts"
import type {Failure, Generation} from "../../generation/generation.ts"
import type {Facts} from "./facts.ts"

export interface ObservedGeneration extends Pick<Generation, "number" | "committedAt" | "config"> {
  readonly instances: readonly {readonly name: string; readonly state: {readonly is: string}}[]
}

type DatabaseFacts = "databaseInitialized" | "databaseUnreachable" | "databaseFailure" | "databaseDamage"

export interface Observed
  extends Pick<Facts, "now" | "startedAt" | "authority" | "notStarted" | "isPinned" | DatabaseFacts> {
  readonly generation: ObservedGeneration | undefined
  readonly failure: Failure | undefined
  readonly uncommitted?: () => UncommittedConfig
  readonly endpoints: () => readonly ObservedEndpoint[]
  /** Whether each binding of the generation is configured. */
  readonly agents: () => Standings
  readonly ingress?: () => IngressView
  readonly checkpoint?: () => NewestCheckpoint
  readonly checkpointFailure?: () => CheckpointFailure
}

type ObservedEndpoint = Pick<Endpoint, "spec" | "ownAdmission" | "state">

/**
 * Returns the endpoints that a generation would have. One that stays failed is failed; any other that can be opened
 * counts as admitting, because whether it connects shows only afterwards.
 */
export const foreseeEndpoints = (
  specs: readonly EndpointSpec[],
  running: (name: string) => Endpoint | undefined,
  now: number,
): readonly ObservedEndpoint[] =>
  specs.map(spec => {
    const present = running(spec.name)
    if (present?.spec.fingerprint === spec.fingerprint && present.state.is === "failed") return present
    const isOpen = spec.open !== undefined
    return {
      spec,
      state: isOpen ? {is: "connecting", attempt: 1, since: now} : {is: "idle", reason: "no_account", since: now},
      ownAdmission: isOpen ? {is: "open"} : {is: "closed", reason: "no_account"},
    }
  })

/** Returns the instances that a generation would have. Those of a draft start with its commit. */
export const foreseeInstances = (instances: Generation["instances"]): ObservedGeneration["instances"] =>
  instances.map(({name, state}) => ({name, state: {is: state.is === "starting" ? "active" : state.is}}))

const nothingRequired: Facts["required"] = {database: true, endpoints: [], agents: []}

/** The facts of a report, read from the running parts only when they are asked for: a probe needs few of them. */
export const gatherFacts = (observed: Observed): Facts => {
  const {now, startedAt, authority, generation, notStarted, isPinned = false, failure} = observed
  const {databaseInitialized, databaseUnreachable, databaseFailure, databaseDamage} = observed
  return {
    now,
    startedAt,
    authority,
    generation,
    notStarted,
    isPinned,
    databaseInitialized,
    databaseUnreachable,
    databaseFailure,
    databaseDamage,
    get required() {
      return generation?.config.config.http.readiness ?? nothingRequired
    },
    get failure() {
      return failure === undefined ? undefined : describeFailure(failure.problem)
    },
    get uncommitted() {
      return observed.uncommitted?.()
    },
    get endpoints() {
      return observed.endpoints().map(({spec, ownAdmission, state}) => ({
        owner: spec.owner,
        name: spec.name,
        state: state.is,
        admission: ownAdmission,
        since: state.since,
      }))
    },
    get ingress() {
      return observed.ingress?.()
    },
    get checkpoint() {
      return observed.checkpoint?.()
    },
    get checkpointFailure() {
      return observed.checkpointFailure?.()
    },
    get plugins() {
      return pluginStates(generation)
    },
    get agents() {
      return observed.agents()
    },
  }
}

const pluginStates = (generation: ObservedGeneration | undefined): Record<string, string> => {
  const disabled = Object.entries(generation?.config.config.plugins ?? {}).filter(([, entry]) => !entry.enabled)
  return Object.fromEntries([
    ...disabled.map(([name]) => [name, "disabled"] as const),
    ...(generation?.instances ?? []).map(({name, state}) => [name, state.is] as const),
  ])
}
