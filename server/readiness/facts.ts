import type {ProjectConfig} from "../../shared/config.ts"
import type {Endpoint} from "../capabilities/endpoint.ts"
import {describeFailure} from "../generation/draft.ts"
import type {Generation} from "../generation/generation.ts"
import type {Failure} from "../generation/generations.ts"
import type {DatabaseFailure} from "./checks.ts"
import type {Facts} from "./report.ts"

export interface Observed {
  readonly now: number
  readonly startedAt: number
  readonly authority: string | undefined
  readonly generation: Generation | undefined
  readonly failure: Failure | undefined
  readonly databaseInitialized: boolean
  readonly databaseFailure?: DatabaseFailure | undefined
  readonly endpoints: () => readonly Pick<Endpoint, "spec" | "admission" | "state">[]
}

const nothingRequired: Facts["required"] = {database: true, endpoints: [], agents: []}

/** The facts of a report, from what runs; put together when they are asked for, since a probe asks for few. */
export const gatherFacts = (observed: Observed): Facts => {
  const {generation, endpoints, failure} = observed
  const config: ProjectConfig | undefined = generation?.config.config
  return {
    now: observed.now,
    startedAt: observed.startedAt,
    authority: observed.authority,
    generation,
    databaseInitialized: observed.databaseInitialized,
    databaseFailure: observed.databaseFailure,
    required: config?.http.readiness ?? nothingRequired,
    get failure() {
      return failure === undefined ? undefined : describeFailure(failure.problem)
    },
    get endpoints() {
      return endpoints().map(({spec, admission, state}) => ({
        owner: spec.owner,
        name: spec.name,
        admission,
        since: state.since,
      }))
    },
    get plugins() {
      return pluginStates(generation)
    },
    get agents() {
      return Object.fromEntries(Object.keys(config?.agents ?? {}).map(name => [name, {configured: true}]))
    },
  }
}

const pluginStates = (generation: Generation | undefined): Record<string, string> => {
  const disabled = Object.entries(generation?.config.config.plugins ?? {}).filter(([, entry]) => !entry.enabled)
  return Object.fromEntries([
    ...disabled.map(([name]) => [name, "disabled"] as const),
    ...(generation?.instances ?? []).map(({name, state}) => [name, state.is] as const),
  ])
}
