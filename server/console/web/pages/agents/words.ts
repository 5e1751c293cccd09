import {agentReasons} from "../../../../../shared/agents/states.ts"
import type {AgentRunView, AgentStepView, AgentView} from "../../../../../shared/api/agents/agents.ts"
import {readinessReasons} from "../../../../../shared/api/readiness.ts"
import {duration, number, tenth, time} from "../../texts/format.ts"
import {numbers} from "../../texts/locale.ts"
import {texts} from "../../texts/texts.ts"
import type {Tone} from "../../texts/tone.ts"
import type {Stretch} from "./waterfall.ts"

const t = texts.agents

export const stateTones = {
  queued: "idle",
  running: "warn",
  waiting: "warn",
  held: "warn",
  succeeded: "good",
  failed: "bad",
  cancelled: "warn",
} as const

export const stepTones = {
  planned: "idle",
  waiting: "warn",
  begun: "warn",
  done: "good",
  failed: "bad",
  unknown: "warn",
  refused: "bad",
} as const

export const approvalTones = {
  waiting: "warn",
  held: "warn",
  approved: "good",
  denied: "bad",
  expired: "bad",
  cancelled: "idle",
} as const

const amounts = numbers({maximumSignificantDigits: 3})

/** Returns an amount of money in the unit of the binding's prices: `12.5`, `0.0123`; whole from 100 on. */
export const money = (amount: number): string => (amount >= 100 ? number(Math.round(amount)) : amounts(amount))

/** Returns a length of time: `312 ms`, `4.2 s`, longer ones as `duration` does. */
export const span = (milliseconds: number): string => {
  const length = Math.max(0, milliseconds)
  if (length < 1000) return `${Math.round(length)} ms`
  return length < 59_950 ? `${tenth(length / 1000)} s` : duration(length / 1000)
}

type Measured = keyof typeof t.meters

/** Returns an amount in the unit of the limit. */
export const amountOf = (what: Measured, amount: number): string =>
  what === "money" ? money(amount) : number(Math.round(amount))

/** Returns how much of a limit is used: `3,200 of 10,000`. */
export const shareOf = (what: Measured, used: number, limit: number): string =>
  t.meter(amountOf(what, used), amountOf(what, limit))

/** Returns the tone of a limit: bad when it is reached, warn when it is near. */
export const toneOfShare = (used: number, limit: number): Tone =>
  used >= limit ? "bad" : used >= limit * 0.8 ? "warn" : "good"

/** Returns a reason in words; the code itself if this console does not know it. */
export const reasonSays = (reason: string): string =>
  Object.entries(agentReasons).find(([word]) => word === reason)?.[1] ?? reason

export interface Health {
  readonly tone: Tone
  readonly word: string
  /** The problem and its remedy, unless all is well. */
  readonly why?: string
  readonly command?: string
}

/** Says whether a binding can run. */
export const healthOf = (agent: Pick<AgentView, "name" | "enabled" | "configured" | "reason" | "problem">): Health => {
  if (!agent.enabled) return {tone: "idle", word: t.health.disabled, why: t.disabledDo, command: "svc runtime reload"}
  if (agent.configured) return {tone: "good", word: t.health.configured}
  const known = Object.entries(readinessReasons).find(([word]) => word === agent.reason)?.[1]
  const what = agent.problem ?? known?.message ?? agent.reason ?? ""
  const todo = known?.remediation.text ?? texts.attention.agentsWrongDo
  return {
    tone: "bad",
    word: t.health.wrong,
    why: `${what} ${todo}`.trim().replaceAll("<name>", () => agent.name),
    command: known?.remediation.command ?? "svc config check",
  }
}

/** Counts the runs of a binding that have not ended, in words. */
export const openRunsOf = ({runs}: Pick<AgentView, "runs">): string => {
  const states = ["queued", "running", "waiting", "held"] as const
  const open = states.filter(state => runs[state] > 0).map(state => t.open[state](runs[state]))
  return open.length === 0 ? t.noneOpen : open.join(", ")
}

export const isOpen = ({state}: Pick<AgentRunView, "state">): boolean =>
  state === "queued" || state === "running" || state === "waiting"

/** Returns the details of a run's state: what it waits for and until when, or why it ended. */
export const statusOf = ({
  state,
  waitsFor,
  dueAt,
  reason,
}: Pick<AgentRunView, "state" | "waitsFor" | "dueAt" | "reason">): string => {
  if (state !== "waiting" || waitsFor === null) return reason ?? ""
  return dueAt === null ? t.waits[waitsFor] : `${t.waits[waitsFor]}, ${t.due[waitsFor](time(dueAt))}`
}

/** Returns the usage of a run, in one line. */
export const takenOf = ({steps, tokens, money: spent}: Pick<AgentRunView, "steps" | "tokens" | "money">): string =>
  [
    steps === 0 ? "" : t.steps(steps),
    tokens === 0 ? "" : t.tokens(number(tokens)),
    spent === 0 ? "" : t.money(money(spent)),
  ]
    .filter(text => text !== "")
    .join(", ")

/** Returns today's usage of a binding. */
export const todayOf = ({today}: Pick<AgentView, "today">): string =>
  t.today(today.runs, t.tokens(number(today.tokens)), money(today.money))

const lengthOf = (from: string, to: string): string => span(Date.parse(to) - Date.parse(from))

/** Returns the names and values that describe a run. */
export const factsOf = (run: AgentRunView): readonly (readonly [name: string, value: string])[] => {
  const f = t.runFacts
  const some = (name: string, value: string | null | undefined) => (value ? [[name, value] as const] : [])
  return [
    [f.trigger, t.triggers[run.trigger]],
    ...some(f.channel, run.channel),
    ...some(f.user, run.user),
    [f.created, time(run.createdAt)],
    ...some(f.started, run.startedAt === null ? null : time(run.startedAt)),
    ...some(f.ended, run.endedAt === null ? null : time(run.endedAt)),
    ...some(f.length, run.startedAt === null || run.endedAt === null ? null : lengthOf(run.startedAt, run.endedAt)),
    [f.attempt, t.times(run.attempt)],
    [f.tokens, number(run.tokens)],
    [f.money, money(run.money)],
    ...some(f.runtimeId, run.runtimeId),
  ]
}

/** Returns when a step started, how long it took, and what it cost. */
export const measuresOf = (step: AgentStepView, stretch: Stretch | undefined, from: number): readonly string[] => {
  if (stretch === undefined) return [t.planned]
  const length = span(stretch.to - stretch.from)
  return [
    t.begunAt(span(stretch.from - from)),
    ...(step.endedAt === null ? (step.state === "begun" ? [t.going(length)] : []) : [t.took(length)]),
    ...(step.tokensIn === null ? [] : [t.tokensInOut(number(step.tokensIn), number(step.tokensOut ?? 0))]),
    ...(step.money === null || step.money === 0 ? [] : [t.money(money(step.money))]),
  ]
}
