import type {AgentView, ApprovalView} from "../../../../../shared/api/agents/agents.ts"
import type {AgentFinding} from "../../../../../shared/attention/finding.ts"
import {texts} from "../../texts/texts.ts"
import type {Attention} from "./attention-item.ts"

const t = texts.attention

/** Returns a finding in words. */
export const showAgents = (found: AgentFinding): Attention => {
  switch (found.code) {
    case "approvals_waiting":
      return about(found.approvals, {title: t.approvals, remedy: t.approvalsDo, tone: "warn"}, sayApproval)
    case "agents_wrong":
      return about(
        found.agents,
        {title: t.agentsWrong, remedy: t.agentsWrongDo, tone: "bad", command: "svc runtime reload"},
        sayProblem,
      )
    case "mcp_failed":
      return about(found.agents, {title: t.mcpFailed, remedy: t.mcpFailedDo, tone: "warn"}, sayMcp("failed"))
    case "mcp_sign_in":
      return about(found.agents, {title: t.mcpSignIn, remedy: t.mcpSignInDo, tone: "warn"}, sayMcp("needs_sign_in"))
    case "mcp_changed":
      return about(found.agents, {title: t.mcpChanged, remedy: t.mcpChangedDo, tone: "warn"}, sayMcp("waiting"))
    case "agents_failed":
      return about(found.agents, {title: t.agentsFailed, remedy: t.agentsFailedDo, tone: "warn"}, sayLast)
    case "agents_held":
      return about(
        found.agents,
        {title: t.agentsHeld, remedy: t.agentsHeldDo, tone: "warn", count: found.runs},
        sayHeld,
      )
  }
}

const sayApproval = ({agent, tool, shown}: ApprovalView) => `${agent}: ${shown ?? tool}`
const sayProblem = ({name, problem, reason}: AgentView) => `${name}: ${problem ?? reason ?? ""}`
const sayMcp =
  (state: "failed" | "needs_sign_in" | "waiting") =>
  ({name, mcp}: AgentView): string => {
    const servers = mcp.filter(each => each.state === state || each.tools.some(tool => tool.state === state))
    return `${name}: ${servers.map(each => each.name).join(", ")}`
  }
const sayLast = ({name, lastRun}: AgentView) => `${name} (${lastRun?.reason ?? ""})`
const sayHeld = ({name, runs}: AgentView) => `${name} (${runs.held})`

interface Said extends Pick<Attention, "remedy" | "tone" | "command"> {
  readonly title: (count: number) => string
  /** The number of things, if it is not the number of names. */
  readonly count?: number
}

/** Returns one item that names the first few. */
const about = <T>(
  list: readonly T[],
  {title, count = list.length, ...said}: Said,
  say: (each: T) => string,
): Attention => ({
  ...said,
  title: title(count),
  why: sentence(list.slice(0, 3).map(say).map(short), list.length > 3),
  page: "agents",
})

/** `…` stands for the names left out. */
const sentence = (said: readonly string[], isMore: boolean): string => {
  const text = said.join("; ")
  if (isMore) return `${text} …`
  return /[.…!?]$/.test(text) ? text : `${text}.`
}

/** Shortens a text: people and models may write long ones. */
const short = (text: string): string => (text.length <= 120 ? text : `${text.slice(0, 119)}…`)
