import {agentRunStates} from "../../../shared/agents/states.ts"
import {AgentRunDetail, AgentRunView} from "../../../shared/api/agents/agents.ts"
import {PageQuery, page} from "../../../shared/api/pages.ts"
import {RunView, runStates} from "../../../shared/api/scheduled/jobs.ts"
import {Problem} from "../../../shared/problems.ts"
import {Optional, type Static, Type} from "../../../shared/type.ts"
import type {Bindings} from "../../agents/bindings/bindings.ts"
import type {AgentService} from "../../agents/service.ts"
import type {Database} from "../../database/database.ts"
import type {Jobs} from "../../scheduler/jobs.ts"
import {type Call, newestFirst, type Operation, readNewest} from "../operations.ts"
import {detailOf, findAgentRun} from "./agents/runs.ts"
import {viewAgentRun} from "./agents/views.ts"
import {findJobRun, viewJobRun} from "./scheduled/runs.ts"

const states = [...new Set([...runStates, ...agentRunStates])]

const RunQuery = Type.Object({
  ...PageQuery.properties,
  kind: Optional.Enum(["job", "agent"], {default: "job", description: "Runs of scheduled jobs, or runs of agents"}),
  job: Optional.String({minLength: 1, description: "Only runs of this job"}),
  agent: Optional.String({minLength: 1, description: "Only runs of this agent; with `kind=agent`"}),
  state: Optional.Enum(states, {description: "Only runs in this state, which the kind must have"}),
})
type RunQuery = Static<typeof RunQuery>

const idOf = (call: Call) => call.params.id ?? ""

/** Throws `request_invalid` for a filter that runs of this kind do not have. */
const requireFitting = ({kind = "job", job, agent, state}: RunQuery): void => {
  if (kind === "job" && agent !== undefined) {
    throw new Problem("request_invalid", "query.agent: runs of jobs have no agent; add kind=agent")
  }
  if (kind === "agent" && job !== undefined) {
    throw new Problem("request_invalid", "query.job: runs of agents have no job; leave out kind=agent")
  }
  const known: readonly string[] = kind === "job" ? runStates : agentRunStates
  if (state !== undefined && !known.includes(state)) {
    throw new Problem("request_invalid", `query.state: runs of ${kind}s are ${known.join(", ")}, not ${state}`)
  }
}

const agentRuns = (database: Database) =>
  newestFirst({
    summary: "",
    item: AgentRunView,
    numberOf: ({seq}) => seq,
    read: async ({query: {agent, state}}, before, most) =>
      (await readNewest(database, "agent_runs", {agent, state}, before, most)).map(viewAgentRun),
  })

const jobRuns = (database: Database) =>
  newestFirst({
    summary: "",
    item: RunView,
    numberOf: ({seq}) => seq,
    read: async ({query: {job, state}}, before, most) =>
      (await readNewest(database, "job_runs", {job, state}, before, most)).map(viewJobRun),
  })

/** Each kind has its own schema, which marks the private fields. */
export const listRuns = (database: Database): Operation => {
  const [ofJobs, ofAgents] = [jobRuns(database), agentRuns(database)]
  return {
    summary: "Runs of jobs, or of agents, newest first",
    query: RunQuery,
    response: {200: Type.Union([page(RunView), page(AgentRunView)])},
    handle: (request, call) => {
      const query = call.query as RunQuery
      requireFitting(query)
      return (query.kind === "agent" ? ofAgents : ofJobs).handle(request, call)
    },
  }
}

export const showRun = (database: Database, bindings: Pick<Bindings, "find">): Operation => ({
  summary: "One run; an agent's run comes with its steps, approvals and limits",
  response: {200: Type.Union([RunView, AgentRunDetail])},
  problems: ["run_unknown"],
  handle: async (_, call) => {
    const ofJob = await findJobRun(database, idOf(call))
    if (ofJob !== undefined) return call.json(RunView, ofJob)
    const ofAgent = await findAgentRun(database, idOf(call))
    if (ofAgent === undefined) throw unknown(call)
    return call.json(AgentRunDetail, await detailOf(database, bindings, ofAgent))
  },
})

export interface Cancelling {
  readonly jobs: Jobs
  readonly agents: AgentService
  readonly database: Database
}

export const cancelRun = ({jobs, agents, database}: Cancelling): Operation => ({
  summary: "Cancel a run that has not ended; messages that a job's run has queued are not sent",
  response: {200: Type.Union([RunView, AgentRunView])},
  problems: ["run_unknown", "run_state", "agent_run_state"],
  handle: async (_, call) => {
    const id = idOf(call)
    if ((await findAgentRun(database, id)) === undefined) {
      await jobs.scheduler.runner.cancel(id)
      const ended = await findJobRun(database, id)
      if (ended === undefined) throw unknown(call)
      return call.json(RunView, ended)
    }
    await agents.cancel(id, "operator")
    const ended = await findAgentRun(database, id)
    if (ended === undefined) throw unknown(call)
    return call.json(AgentRunView, viewAgentRun(ended))
  },
})

const unknown = (call: Call) => new Problem("run_unknown", `there is no run ${idOf(call)}`)
