import {agentRunStates} from "../../agents/states.ts"
import {Optional, type Static, Type} from "../../type.ts"
import {PageQuery, page} from "../pages.ts"
import {RunView, runStates} from "../scheduled/jobs.ts"
import {AgentRunView} from "./agents.ts"

/** Lists of runs. Each kind has its own schema, which marks the private fields. */

export const RunPage = page(RunView)
export const AgentRunPage = page(AgentRunView)

const states = [...new Set([...runStates, ...agentRunStates])]

export const RunQuery = Type.Object({
  ...PageQuery.properties,
  kind: Optional.Enum(["job", "agent"], {default: "job", description: "Runs of scheduled jobs, or runs of agents"}),
  job: Optional.String({minLength: 1, description: "Only runs of this job"}),
  agent: Optional.String({minLength: 1, description: "Only runs of this agent; with `kind=agent`"}),
  state: Optional.Enum(states, {description: "Only runs in this state, which the kind must have"}),
})
export type RunQuery = Static<typeof RunQuery>
