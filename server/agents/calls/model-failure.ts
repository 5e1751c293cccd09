import type {Binding} from "../../../shared/agents/binding.ts"
import type {AgentReason} from "../../../shared/agents/states.ts"
import {messageOf} from "../../../shared/problems.ts"
import {type Backoff, pauseAfter} from "../../../shared/sdk/adapter/backoff.ts"
import type {Statement} from "../../../shared/sdk/session/database.ts"
import {TimeLimitExceeded} from "../../runtime/flow/time-limit.ts"
import {ModelFailure} from "../providers/model.ts"
import {fail} from "../runs/end.ts"
import type {After, Engine} from "../runs/engine.ts"
import {type AgentRun, parking} from "../runs/run-rows.ts"
import {type Amount, spending, spendingOfRun} from "../runs/spending.ts"
import {counting, notingFailure} from "../runs/step-rows.ts"
import {runIs, writeFenced} from "../runs/write.ts"

/** The pauses after calls that the provider did not accept. */
const busyPauses: Backoff = {first: 1000, longest: 60_000}
export const longestPause = 10 * 60_000

/** The most attempts for a provider that does not answer, and for a model that returns malformed answers. */
const mostTries = {busy: 8, malformed: 3}

export interface Call {
  readonly run: AgentRun
  readonly binding: Binding
  readonly n: number
  readonly reserved: Amount
  readonly day: string
}

/** Releases the reserved amount, and counts the amount used. */
export const settling = ({run, day, reserved}: Call, taken: Amount): readonly Statement[] => {
  const difference = {tokens: taken.tokens - reserved.tokens, money: taken.money - reserved.money}
  return [spending(run, day, difference), spendingOfRun(run.seq, difference)]
}

interface Failure {
  readonly kind: ModelFailure["kind"]
  readonly reason: AgentReason
  readonly message: string
  readonly retryAfter?: number | undefined
  /** Whether the provider has said that it did nothing. */
  readonly isFree?: boolean
}

export const empty: Failure = {
  kind: "malformed",
  reason: "answer_empty",
  message: "the model returned neither text nor a tool call",
}

/** Returns the failure of a call; undefined for an error of svc itself. */
export const failureOf = (error: unknown): Failure | undefined => {
  if (error instanceof TimeLimitExceeded)
    return {kind: "busy", reason: "provider_unavailable", message: `the model call had ${error.message}`}
  if (!(error instanceof ModelFailure)) return undefined
  const reasons = {busy: "provider_unavailable", malformed: "answer_malformed", refused: "provider_refused"} as const
  return {
    kind: error.kind,
    reason: error.code === "cut" ? "provider_cut" : reasons[error.kind],
    message: messageOf(error),
    retryAfter: error.retryAfter,
    isFree: error.status !== undefined && error.status >= 400,
  }
}

/** Retries the run after a pause, unless its attempts are used up. What the call may have used stays counted. */
export const tryAgain = async (
  engine: Engine,
  call: Call,
  {kind, reason, message, retryAfter = 0, isFree = false}: Failure,
  active: number,
  settled?: readonly Statement[],
): Promise<After> => {
  const {run, n} = call
  const text = engine.hide(message)
  const counted = settled ?? [
    ...(isFree ? settling(call, {tokens: 0, money: 0}) : []),
    counting(run.seq, {active, steps: isFree ? -1 : 0}),
  ]
  const failures = run.failures + 1
  const noted = [notingFailure(run.seq, n, text), ...counted]
  if (kind === "refused" || failures >= mostTries[kind]) return fail(engine, run, reason, text, noted)
  const pause = Math.min(longestPause, Math.max(Math.round(pauseAfter(failures, busyPauses)), retryAfter))
  engine.log.warn(`run ${run.runId} of ${run.agent} retries its model call in ${pause} ms: ${text}`, {runId: run.runId})
  const batch = [
    ...noted,
    {sql: "UPDATE agent_runs SET failures = ? WHERE seq = ?", args: [failures, run.seq]},
    parking(run, "retry", engine.clock.now() + pause, text),
  ]
  await writeFenced(engine, run, batch, runIs("waiting", "queued"))
  engine.wakeIn(run, pause)
  return "is over"
}
