import {Option} from "clipanion"
import type {AgentRunDetail, AgentView} from "../../shared/api/agents/agents.ts"
import {Problem} from "../../shared/problems.ts"
import {runText} from "../kit/agent/run-text.ts"
import {connectHost, type HostClient, unless} from "../kit/host-client.ts"
import {facts} from "../kit/print.ts"
import {rowCommand} from "../kit/rows.ts"

export const show = rowCommand({
  description: "show an agent binding, or one run of an agent with its steps",
  details: "Needs a running Host.",
  examples: [
    ["A binding, with its configuration problem if it has one", "svc agent show writer"],
    ["A run, step by step", "svc agent show 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e"],
  ],
  options: {id: Option.String({name: "id"})},
  run: async given => {
    const host = await connectHost(given.folder)
    const binding = await unless("agent_unknown", host.get("/api/agents/:name", {name: given.id}))
    if (binding !== undefined) given.show(binding, bindingText)
    else given.show(await runOf(host, given.id), runText)
  },
})

const runOf = async (host: HostClient, id: string): Promise<AgentRunDetail> => {
  const run = await unless("run_unknown", host.get("/api/runs/:id", {id}))
  if (run?.kind === "agent") return run
  throw new Problem("agent_run_unknown", `no agent and no run of an agent is called ${id}`)
}

const bindingText = (view: AgentView): string => {
  const {tools, today, runs, lastRun} = view
  const counts = Object.entries(runs).map(([state, count]) => `${count} ${state}`)
  return facts([
    ["agent", view.name],
    ["for", view.description || null],
    ["state", view.configured ? "configured" : `${view.reason}: ${view.problem}`],
    ["model", `${view.provider} ${view.model}`],
    [
      "models",
      view.models.length < 2
        ? null
        : view.models.map(({model, state, inUse}) => `${model} (${inUse ? "in use" : state})`).join(", "),
    ],
    ["address", view.baseURL ?? "the provider's own"],
    ["started by", view.triggers.join(", ") || "operators, jobs and plugins"],
    ["permission without a user", view.permission],
    [
      "tools",
      tools.map(({name, effect, approval}) => `${name} (${effect}${approval ? ", asks" : ""})`).join(", ") || "-",
    ],
    ["runs", counts.join(", ")],
    ["approvals", `${view.approvals} waiting`],
    ["today", `${today.runs} runs, ${today.tokens} tokens, money ${today.money}`],
    [
      "limits",
      today.limits
        .map(({of, what, limit, used}) => `${of} ${what} ${used === null ? "" : `${used} of `}${limit}`)
        .join(", "),
    ],
    ["newest run", lastRun === null ? "-" : [lastRun.runId, lastRun.state, lastRun.reason ?? ""].join(" ").trim()],
  ])
}
