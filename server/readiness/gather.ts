import type {CheckpointFailure, NewestCheckpoint} from "../../shared/api/checkpoint.ts"
import type {UncommittedConfig} from "../../shared/api/configuration/file.ts"
import type {IngressView} from "../../shared/api/readiness.ts"
import type {ProjectConfig} from "../../shared/config.ts"
import type {Standings} from "../agents/bindings/configured.ts"
import type {Endpoint} from "../endpoints/endpoint.ts"
import {describeFailure} from "../generation/draft.ts"
import type {Failure, Generation} from "../generation/generation.ts"
import type {DatabaseFailure, Facts} from "./facts.ts"

export interface Observed {
  readonly now: number
  readonly startedAt: number
  readonly authority: string | undefined
  readonly generation: Generation | undefined
  readonly notStarted?: string | undefined
  readonly isPinned?: boolean
  readonly failure: Failure | undefined
  readonly uncommitted?: () => UncommittedConfig
  readonly databaseInitialized: boolean
  readonly databaseFailure?: DatabaseFailure | undefined
  readonly databaseDamage?: Facts["databaseDamage"]
  readonly endpoints: () => readonly Pick<Endpoint, "spec" | "ownAdmission" | "state">[]
  /** Whether each binding of the generation is configured. */
  readonly agents: () => Standings
  readonly ingress?: () => IngressView
  readonly checkpoint?: () => NewestCheckpoint
  readonly checkpointFailure?: () => CheckpointFailure
}

const nothingRequired: Facts["required"] = {database: true, endpoints: [], agents: []}

/** The facts of a report, read from the running parts only when they are asked for: a probe needs few of them. */
export const gatherFacts = (observed: Observed): Facts => new ObservedFacts(observed)

class ObservedFacts implements Facts {
  readonly #observed: Observed
  readonly now: number
  readonly startedAt: number
  readonly authority: string | undefined
  readonly generation: Generation | undefined
  readonly notStarted: string | undefined
  readonly isPinned: boolean
  readonly databaseInitialized: boolean
  readonly databaseFailure: DatabaseFailure | undefined
  readonly databaseDamage: Facts["databaseDamage"]

  constructor(observed: Observed) {
    this.#observed = observed
    this.now = observed.now
    this.startedAt = observed.startedAt
    this.authority = observed.authority
    this.generation = observed.generation
    this.notStarted = observed.notStarted
    this.isPinned = observed.isPinned ?? false
    this.databaseInitialized = observed.databaseInitialized
    this.databaseFailure = observed.databaseFailure
    this.databaseDamage = observed.databaseDamage
  }

  get required(): Facts["required"] {
    return this.#config?.http.readiness ?? nothingRequired
  }

  get failure(): string | undefined {
    const {failure} = this.#observed
    return failure === undefined ? undefined : describeFailure(failure.problem)
  }

  get uncommitted(): UncommittedConfig | undefined {
    return this.#observed.uncommitted?.()
  }

  get endpoints(): Facts["endpoints"] {
    return this.#observed.endpoints().map(({spec, ownAdmission, state}) => ({
      owner: spec.owner,
      name: spec.name,
      state: state.is,
      admission: ownAdmission,
      since: state.since,
    }))
  }

  get ingress(): IngressView | undefined {
    return this.#observed.ingress?.()
  }

  get checkpoint(): NewestCheckpoint | undefined {
    return this.#observed.checkpoint?.()
  }

  get checkpointFailure(): CheckpointFailure | undefined {
    return this.#observed.checkpointFailure?.()
  }

  get plugins(): Facts["plugins"] {
    return pluginStates(this.generation)
  }

  get agents(): Facts["agents"] {
    return this.#observed.agents()
  }

  get #config(): ProjectConfig | undefined {
    return this.generation?.config.config
  }
}

const pluginStates = (generation: Generation | undefined): Record<string, string> => {
  const disabled = Object.entries(generation?.config.config.plugins ?? {}).filter(([, entry]) => !entry.enabled)
  return Object.fromEntries([
    ...disabled.map(([name]) => [name, "disabled"] as const),
    ...(generation?.instances ?? []).map(({name, state}) => [name, state.is] as const),
  ])
}
