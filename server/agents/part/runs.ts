import {agentRunStates} from "../../../shared/agents/states.ts"
import {AgentRunDetail, AgentRunView} from "../../../shared/api/agents/agents.ts"
import {AgentRunPage, RunPage, type RunQuery} from "../../../shared/api/agents/runs.ts"
import {runOperations} from "../../../shared/api/operations/agents.ts"
import {type Asked, Reply, serve} from "../../../shared/api/operations/operation.ts"
import {RunView, runStates} from "../../../shared/api/scheduled/jobs.ts"
import {Problem} from "../../../shared/problems.ts"
import type {Database, Row} from "../../database/database.ts"
import {heldOr, inBulk} from "../../database/lists/bulk.ts"
import {newestFirst, readNewest, textOrNull} from "../../database/lists/pages.ts"
import {searchWaiting} from "../../database/lists/search.ts"
import type {Jobs} from "../../scheduler/jobs.ts"
import {findJobRun, readJobRuns} from "../../scheduler/part/job-runs.ts"
import type {Bindings} from "../bindings/bindings.ts"
import {findRun} from "../find-run.ts"
import type {AgentService, RunAction} from "../runs/service.ts"
import {selectApprovals} from "./approvals.ts"
import {limitsOfRun, viewAgentRun, viewApproval, viewStep} from "./views.ts"

export interface RunServices {
  readonly jobs: Jobs
  readonly agents: AgentService
  readonly bindings: Pick<Bindings, "find">
  readonly database: Database
}

export const runRoutes = ({jobs, agents, bindings, database}: RunServices) => {
  const ofJobs = newestFirst({
    read: ({query: {job, state}}: AskedRuns, before, most) => readJobRuns(database, {job, state}, before, most),
    numberOf: ({seq}) => seq,
  })
  const ofAgents = newestFirst({
    read: async ({query: {agent, state}}: AskedRuns, before, most) =>
      (await readNewest(database, "agent_runs", {agent, state}, before, most)).map(viewAgentRun),
    numberOf: ({seq}) => seq,
  })
  const act =
    (action: RunAction) =>
    async ({params: {id}}: Asked<typeof runOperations.hold>) => {
      const on = heldOr(id, action, () => ({runId: id}))
      return {runs: await agents.act(action, on)}
    }
  return serve(runOperations, {
    list: async asked => {
      requireFitting(asked.query)
      return asked.query.kind === "agent"
        ? new Reply(200, await ofAgents(asked), AgentRunPage)
        : new Reply(200, await ofJobs(asked), RunPage)
    },
    show: async ({params: {id}}) => {
      const ofJob = await findJobRun(database, id)
      if (ofJob !== undefined) return new Reply(200, ofJob, RunView)
      const ofAgent = await findRun(database, id)
      if (ofAgent === undefined) throw unknown(id)
      return new Reply(200, await detailOf(database, bindings, ofAgent), AgentRunDetail)
    },
    cancel: async ({params: {id}}) => {
      if ((await findRun(database, id)) === undefined) {
        await jobs.scheduler.runner.cancel(id)
        const ended = await findJobRun(database, id)
        if (ended === undefined) throw unknown(id)
        return new Reply(200, ended, RunView)
      }
      await agents.cancel(id, "operator")
      const ended = await findRun(database, id)
      if (ended === undefined) throw unknown(id)
      return new Reply(200, viewAgentRun(ended), AgentRunView)
    },
    context: ({params: {id}}) => agents.context(id),
    release: act("release"),
    discard: act("discard"),
    hold: act("hold"),
    bulk: inBulk<Asked<typeof runOperations.bulk>>({
      search: searchWaiting(database, {table: "agent_runs", states: ["queued", "waiting"], since: "created_at"}),
      act: (action, rows) => agents.act(action, {runId: rows.map(({run_id}) => String(run_id))}),
      view: row => {
        const {runId, createdAt, user, channel, agent, trigger} = viewAgentRun(row)
        return {id: runId, at: createdAt, who: user ?? channel, text: `${agent}, ${trigger}`}
      },
    }),
  })
}

type AskedRuns = Asked<typeof runOperations.list>

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

const unknown = (id: string) => new Problem("run_unknown", `there is no run ${id}`)

const detailOf = async (database: Database, bindings: Pick<Bindings, "find">, row: Row): Promise<AgentRunDetail> => {
  const [steps, approvals] = await Promise.all([
    database.read("SELECT * FROM agent_steps WHERE run = ? ORDER BY n", [Number(row.seq)]),
    database.read(selectApprovals("a.run = ?", "a.n, a.seq"), [Number(row.seq)]),
  ])
  return {
    ...viewAgentRun(row),
    input: String(row.input),
    answer: textOrNull(row.answer),
    trail: steps.map(viewStep),
    approvals: approvals.map(viewApproval),
    limits: limitsOfRun(row, bindings.find(String(row.agent))),
  }
}
