import type {AgentRunDetail, AgentRunView, ApprovalView} from "../../../shared/api/agents/agents.ts"
import type {Row} from "../../../shared/sdk/session/database.ts"
import {type Project, type TestHost, until} from "../host/host.ts"
import {readRows as readRowsOf} from "../messages/inbox-ledger.ts"

export const runsOf = async (host: Pick<TestHost, "get">, limit = 200): Promise<readonly AgentRunView[]> =>
  (await host.get("/api/runs", {kind: "agent", limit})).items.filter(run => run.kind === "agent").reverse()

export const runOf = async (host: TestHost, runId: string): Promise<AgentRunDetail> => {
  const run = await host.get("/api/runs/:id", {id: runId})
  if (run.kind !== "agent") throw new Error(`${runId} is a run of a job`)
  return run
}

const ended: readonly string[] = ["succeeded", "failed", "cancelled"]

export const endOf = (host: TestHost, runId: string): Promise<AgentRunDetail> =>
  until(`run ${runId} to end`, async () => {
    const run = await runOf(host, runId)
    return ended.includes(run.state) && run
  })

/** The run that an inbox event has just started, once it has ended. */
export const runOfEvent = async (host: TestHost, sn: number): Promise<AgentRunDetail> => {
  const newest = () => runsOf(host, 20)
  const {runId} = await until("the run to begin", async () => (await newest()).find(({event}) => event === sn))
  return endOf(host, runId)
}

const detailsOf = async (host: TestHost): Promise<readonly AgentRunDetail[]> =>
  Promise.all((await runsOf(host)).map(({runId}) => runOf(host, runId)))

export const runAsked = (host: TestHost, input: string): Promise<AgentRunDetail> =>
  until(`a run for "${input}" to end`, async () => {
    const found = (await detailsOf(host)).findLast(run => run.input === input)
    return found !== undefined && ended.includes(found.state) && found
  }).catch(async error => {
    const runs = (await detailsOf(host)).map(({agent, state, input, waitsFor}) => ({agent, state, input, waitsFor}))
    throw new Error(`${error.message}; there are ${JSON.stringify(runs)}`)
  })

/** The pending approvals, oldest first, once there are `count` of them. */
export const waitingApprovals = (host: TestHost, count = 1): Promise<readonly ApprovalView[]> =>
  until(`${count} approvals to wait`, async () => {
    const {items} = await host.get("/api/approvals", {state: "waiting"})
    return items.length === count && items.reverse()
  })

/** Reads the database of a project whose Host is stopped. */
export const readRows = (project: Project, sql: string): Promise<readonly Row[]> =>
  readRowsOf(project.path(".svc/data.sqlite"), sql)
