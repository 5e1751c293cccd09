import type {AgentView, ApprovalView, ReadinessReport} from "../../host/views.ts"
import {texts} from "../../texts.ts"
import type {Attention} from "./attention-item.ts"

/** The bindings, and what waits for a person. */
export interface BoundAgents {
  readonly items: readonly AgentView[]
  readonly approvals: readonly ApprovalView[]
}

interface Facts {
  readonly agents: BoundAgents | undefined
  readonly report: ReadinessReport | undefined
}

const t = texts.attention

/** What needs attention about agents: first what waits for a person. */
export const agentsOf = ({agents, report}: Facts): Attention[] => {
  if (agents === undefined) return []
  const {items, approvals} = agents
  const told = new Set((report?.components ?? []).filter(({ready, required}) => !ready && required).map(nameOf))
  const on = items.filter(({enabled}) => enabled)
  const held = items.reduce((sum, {runs}) => sum + runs.held, 0)
  return [
    ...about(approvals, {title: t.approvals, remedy: t.approvalsDo, tone: "warn"}, sayApproval),
    ...about(
      on.filter(({configured, name}) => !configured && !told.has(name)),
      wrong,
      sayProblem,
    ),
    ...about(on.filter(hasFailed), {title: t.agentsFailed, remedy: t.agentsFailedDo, tone: "warn"}, sayLast),
    ...(held === 0
      ? []
      : about(
          items.filter(({runs}) => runs.held > 0),
          {...heldRuns, count: held},
          sayHeld,
        )),
  ]
}

const nameOf = ({name}: {readonly name: string}) => name
const hasFailed = ({lastRun}: AgentView) => lastRun?.state === "failed"
const wrong = {title: t.agentsWrong, remedy: t.agentsWrongDo, tone: "bad", command: "svc config check"} as const
const heldRuns = {title: t.agentsHeld, remedy: t.agentsHeldDo, tone: "warn"} as const

const sayApproval = ({agent, tool, shown}: ApprovalView) => `${agent}: ${shown ?? tool}`
const sayProblem = ({name, problem, reason}: AgentView) => `${name}: ${problem ?? reason ?? ""}`
const sayLast = ({name, lastRun}: AgentView) => `${name} (${lastRun?.reason ?? ""})`
const sayHeld = ({name, runs}: AgentView) => `${name} (${runs.held})`

interface Said extends Pick<Attention, "remedy" | "tone" | "command"> {
  readonly title: (count: number) => string
  /** How many there are, where that is not how many are named. */
  readonly count?: number
}

/** Nothing where there is nobody, else one thing that names the first few. */
const about = <T>(list: readonly T[], {title, count = list.length, ...said}: Said, say: (each: T) => string) =>
  list.length === 0
    ? []
    : [
        {
          ...said,
          title: title(count),
          why: sentence(list.slice(0, 3).map(say).map(short), list.length > 3),
          page: "agents",
        },
      ]

/** `…` stands for those that are not named. */
const sentence = (said: readonly string[], isMore: boolean): string => {
  const text = said.join("; ")
  if (isMore) return `${text} …`
  return /[.…!?]$/.test(text) ? text : `${text}.`
}

/** A text of a person's or of a model's may be long. */
const short = (text: string): string => (text.length <= 120 ? text : `${text.slice(0, 119)}…`)
