import {findAgents} from "../../../../../shared/attention/find.ts"
import type {AgentFinding, Facts} from "../../../../../shared/attention/finding.ts"
import type {AgentView, ApprovalView} from "../../host/views.ts"
import {texts} from "../../texts.ts"
import type {Attention} from "./attention-item.ts"

/** The bindings, and what waits for a person. */
export type BoundAgents = NonNullable<Facts["agents"]>

const t = texts.attention

/** What needs attention about agents: first what waits for a person. */
export const agentsOf = (facts: Pick<Facts, "agents" | "report">): Attention[] => findAgents(facts).map(showAgents)

/** One of these, in words. */
export const showAgents = (found: AgentFinding): Attention => {
  switch (found.code) {
    case "approvals_waiting":
      return about(found.approvals, {title: t.approvals, remedy: t.approvalsDo, tone: "warn"}, sayApproval)
    case "agents_wrong":
      return about(
        found.agents,
        {title: t.agentsWrong, remedy: t.agentsWrongDo, tone: "bad", command: "svc config check"},
        sayProblem,
      )
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
const sayLast = ({name, lastRun}: AgentView) => `${name} (${lastRun?.reason ?? ""})`
const sayHeld = ({name, runs}: AgentView) => `${name} (${runs.held})`

interface Said extends Pick<Attention, "remedy" | "tone" | "command"> {
  readonly title: (count: number) => string
  /** How many there are, where that is not how many are named. */
  readonly count?: number
}

/** One thing that names the first few. */
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

/** `…` stands for those that are not named. */
const sentence = (said: readonly string[], isMore: boolean): string => {
  const text = said.join("; ")
  if (isMore) return `${text} …`
  return /[.…!?]$/.test(text) ? text : `${text}.`
}

/** A text of a person's or of a model's may be long. */
const short = (text: string): string => (text.length <= 120 ? text : `${text.slice(0, 119)}…`)
