import type {Binding} from "../../../shared/agents/binding.ts"
import {type AgentTrigger, agentRunStates} from "../../../shared/agents/states.ts"
import type {AgentView} from "../../../shared/api/agents/agents.ts"
import {toJson} from "../../../shared/json.ts"
import type {Database, Row} from "../../database/database.ts"
import {textOrNull, timeOf} from "../../database/lists/pages.ts"
import type {Bindings} from "../bindings/bindings.ts"
import {selectMcpTools} from "../mcp/tool-rows.ts"
import {viewMcp} from "../mcp/view.ts"
import {modelsOf, usualModel} from "../providers/models.ts"
import {countOpen} from "../runs/run-rows.ts"
import {moneyOf} from "./views.ts"

export const viewBindings = async (bindings: Bindings, database: Database): Promise<AgentView[]> => {
  const all = bindings.list()
  const figures = await readFigures(database, all)
  return all.map(binding => viewBinding(bindings, binding, figures))
}

export const viewAgent = async (bindings: Bindings, database: Database, binding: Binding): Promise<AgentView> =>
  viewBinding(bindings, binding, await readFigures(database, [binding]))

const viewBinding = (bindings: Bindings, binding: Binding, figures: Figures): AgentView => {
  const {name, config} = binding
  const standing = bindings.standingOf(binding)
  const runs = runsOf(name, figures)
  return {
    name,
    enabled: config.enabled,
    description: config.description ?? "",
    ...viewModels(bindings, binding),
    configured: standing.configured,
    reason: standing.configured ? null : standing.reason,
    problem: standing.configured ? null : standing.message,
    permission: config.permission,
    triggers: triggersOf(binding),
    tools: bindings
      .toolsOf(binding)
      .map(({name, description, effect, permission, approval}) => ({name, description, effect, permission, approval})),
    mcp: config.mcp.map(entry => viewMcp(name, entry, bindings.mcpStateOf(name, entry), figures.mcp)),
    runs,
    approvals: Number(rowOf(figures.approvals, name)?.n ?? 0),
    today: todayOf(binding, rowOf(figures.today, name), runs.running),
    lastRun: lastOf(rowOf(figures.last, name)),
  }
}

const viewModels = ({cooling}: Bindings, binding: Binding) => {
  const models = modelsOf(binding)
  const {provider, model, baseURL = null} = usualModel(binding).settings
  const [inUse] = cooling.order(models)
  return {
    ...{provider, model, baseURL},
    models: models.map(each => ({
      provider: each.settings.provider,
      model: each.settings.model,
      state: cooling.restOf(each) === undefined ? ("ready" as const) : ("cooling" as const),
      inUse: each === inUse,
    })),
  }
}

const countApprovals = `SELECT r.agent AS agent, count(*) AS n FROM agent_approvals a
  CROSS JOIN agent_runs r ON r.seq = a.run WHERE a.state = 'waiting' GROUP BY r.agent`

const selectToday = `SELECT s.* FROM json_each(?1) a
  CROSS JOIN agent_spending s ON s.agent = a.value AND s.day = ?2 AND s.subject = ''`

const selectLast = `SELECT r.agent, r.run_id, r.state, r.reason, r.ended_at FROM json_each(?1) a
  CROSS JOIN agent_runs r ON r.seq = (SELECT max(seq) FROM agent_runs WHERE agent = a.value)`

type Figures = Awaited<ReturnType<typeof readFigures>>

/** Reads the figures of agents at one moment, as rows with the name of the agent. Days are in UTC. */
const readFigures = async (database: Database, shown: readonly Binding[]) => {
  const names = toJson(shown.map(({name}) => name))
  const [mcp, open, ended, approvals, today, last] = await Promise.all([
    shown.some(({config}) => config.mcp.length > 0) ? database.read(selectMcpTools, [names]) : [],
    database.read(countOpen, [names]),
    database.read("SELECT agent, outcome AS state, runs AS n FROM agent_run_totals"),
    database.read(countApprovals),
    database.read(selectToday, [names, new Date().toISOString().slice(0, 10)]),
    database.read(selectLast, [names]),
  ])
  return {mcp, open, ended, approvals, today, last}
}

const rowOf = (rows: readonly Row[], agent: string): Row | undefined => rows.find(row => row.agent === agent)

const triggersOf = ({config: {triggers}}: Binding): AgentTrigger[] => [
  ...(triggers.mention ? ["mention" as const] : []),
  ...(triggers.direct ? ["direct" as const] : []),
  ...(triggers.command === undefined ? [] : ["command" as const]),
  ...(triggers.events.length === 0 ? [] : ["event" as const]),
  ...(triggers.items ? ["item" as const] : []),
]

const runsOf = (agent: string, {open, ended}: Figures): AgentView["runs"] => {
  const rows = [...open, ...ended].filter(row => row.agent === agent)
  const count = (state: string) => Number(rows.find(row => row.state === state)?.n ?? 0)
  return Object.fromEntries(agentRunStates.map(state => [state, count(state)])) as AgentView["runs"]
}

type Limit = AgentView["today"]["limits"][number]

const todayOf = ({config: {limits}}: Binding, row: Row | undefined, running: number): AgentView["today"] => {
  const used = {runs: Number(row?.runs ?? 0), tokens: Number(row?.tokens ?? 0), money: moneyOf(row?.money ?? 0)}
  const budgets = (["user", "channel", "day"] as const).flatMap(of =>
    (["runs", "tokens", "money"] as const).flatMap((what): Limit[] => {
      const limit = limits[of][what]
      return limit === undefined ? [] : [{of, what, limit, used: of === "day" ? used[what] : null}]
    }),
  )
  const ofRun = (["steps", "seconds", "tokens", "money"] as const).flatMap((what): Limit[] => {
    const limit = limits[what]
    return limit === undefined ? [] : [{of: "run", what, limit, used: null}]
  })
  return {...used, limits: [{of: "run", what: "parallel", limit: limits.parallel, used: running}, ...ofRun, ...budgets]}
}

const lastOf = (row: Row | undefined): AgentView["lastRun"] =>
  row === undefined
    ? null
    : {
        runId: String(row.run_id),
        state: row.state as NonNullable<AgentView["lastRun"]>["state"],
        reason: textOrNull(row.reason),
        endedAt: timeOf(row.ended_at),
      }
