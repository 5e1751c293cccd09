import {toJson} from "../../shared/json.ts"
import {type Reading, single} from "../../shared/metrics/readings.ts"
import type {Database} from "../database/database.ts"
import {readNumber} from "../database/engine/cells.ts"
import type {Bindings} from "./bindings/bindings.ts"
import {readLastFailed} from "./runs/figures.ts"
import type {AgentMeter} from "./runs/meter.ts"
import {countOpen} from "./runs/run-rows.ts"

/** The agents' totals since the first run, and their open runs. Rows store money in millionths. */
const readAgents = async (database: Database, bindings: Pick<Bindings, "list">) => {
  const totals = await database.read("SELECT * FROM agent_run_totals ORDER BY agent, outcome")
  const counted = totals.map(row => String(row.agent))
  const names = [...new Set([...bindings.list().map(({name}) => name), ...counted])]
  const [open, approvals, failed] = await Promise.all([
    database.read(countOpen, [toJson(names)]),
    readNumber(database, "SELECT count(*) AS n FROM agent_approvals WHERE state = 'waiting'"),
    readLastFailed(database, names),
  ])
  const sum = (agent: string, column: string) =>
    totals.filter(row => row.agent === agent).reduce((all, row) => all + Number(row[column]), 0)
  return {
    svc_agent_runs_total: totals.map(({agent, outcome, runs}) => ({
      labels: {agent: String(agent), outcome: String(outcome)},
      value: Number(runs),
    })),
    svc_agent_runs: open.map(({agent, state, n}) => ({
      labels: {agent: String(agent), state: String(state)},
      value: Number(n),
    })),
    svc_agent_failed_run_info: failed.map(({agent, run_id}) => ({
      labels: {agent: String(agent), run_id: String(run_id)},
      value: 1,
    })),
    svc_agent_tokens_total: names.flatMap(agent => [
      {labels: {agent, direction: "in"}, value: sum(agent, "tokens_in")},
      {labels: {agent, direction: "out"}, value: sum(agent, "tokens_out")},
    ]),
    svc_agent_money_total: names.map(agent => ({labels: {agent}, value: sum(agent, "money") / 1e6})),
    svc_agent_approvals_waiting: single(approvals),
  }
}

/** The durations of model and tool calls in this run of the Host, and what was unknown in the models' answers. */
export const readCalls = (meter: AgentMeter) => ({
  svc_agent_tool_seconds: [...meter.tools.values()].map(({agent, name, outcome, seconds}) => ({
    labels: {agent, tool: name, outcome},
    histogram: seconds,
  })),
  svc_agent_model_seconds: [...meter.models.values()].map(({agent, name, outcome, seconds}) => ({
    labels: {agent, model: name, outcome},
    histogram: seconds,
  })),
  svc_agent_unknown_total: [...meter.unknown].map(([agent, value]) => ({labels: {agent}, value})),
})

export const agentMetrics = (database: Database, bindings: Pick<Bindings, "list">, meter: AgentMeter) =>
  [
    {group: "agents", read: () => readAgents(database, bindings)},
    {read: () => readCalls(meter)},
  ] satisfies readonly Reading[]
