import type {Binding} from "../../../shared/agents/binding.ts"
import type {AgentReason} from "../../../shared/agents/states.ts"
import {isProblem, messageOf} from "../../../shared/problems.ts"
import {type Backoff, pauseAfter} from "../../../shared/sdk/adapter/backoff.ts"
import type {Statement} from "../../../shared/sdk/session/database.ts"
import {assertThat} from "../../database/database.ts"
import {readNumber} from "../../database/engine/cells.ts"
import {TimeLimitExceeded} from "../../runtime/flow/time-limit.ts"
import {ModelFailure} from "../providers/model.ts"
import type {BoundModel} from "../providers/models.ts"
import type {Attempt, Change} from "../runs/attempt.ts"
import {fail} from "../runs/end.ts"
import type {After} from "../runs/engine.ts"
import {type AgentRun, parking} from "../runs/run-rows.ts"
import {type Amount, spending} from "../runs/spending.ts"
import {type ModelStep, notingFailure} from "../runs/step-rows.ts"
import {type IsStored, runIs} from "../runs/write.ts"

/** The pauses after calls that the provider did not accept. */
const busyPauses: Backoff = {first: 1000, longest: 60_000}
export const longestPause = 10 * 60_000

/** The most attempts in a row for each model of the binding, by the kind of the last failure if all models rest. */
const mostTries = {busy: 8, refused: 8, malformed: 3}

/** Statuses for a request that the model does not accept, for example because it is too long. */
const ofRequest: readonly (number | undefined)[] = [400, 413, 422]

export interface Call {
  readonly attempt: Attempt
  readonly binding: Binding
  readonly model: BoundModel
  /** The models of the binding that the run can pay, in the order to call them. */
  readonly models: readonly BoundModel[]
  /** The step, as it has begun. */
  readonly step: ModelStep
  readonly reserved: Amount
  readonly day: string
}

/** Releases the reserved amount, and counts the amount used. */
export const settling = ({attempt, day, reserved}: Call, taken: Amount) => {
  const added = {tokens: taken.tokens - reserved.tokens, money: taken.money - reserved.money}
  return {statements: [spending(attempt.run, day, added)], added}
}

interface Failure {
  readonly kind: ModelFailure["kind"]
  readonly reason: AgentReason
  readonly message: string
  readonly retryAfter?: number | undefined
  /** Whether the provider has said that it did nothing. */
  readonly isFree?: boolean
  /** Whether the model may well accept the calls of other runs. */
  readonly isOfRun?: boolean
}

export const empty: Failure = {
  kind: "malformed",
  reason: "answer_empty",
  message: "the model returned neither text nor a tool call",
  isOfRun: true,
}

/** Returns the failure of a call; undefined for an error of svc itself. */
export const failureOf = (error: unknown): Failure | undefined => {
  if (error instanceof TimeLimitExceeded)
    return {kind: "busy", reason: "provider_unavailable", message: `the model call had ${error.message}`}
  if (isProblem(error, "agent_misconfigured"))
    return {kind: "refused", reason: "binding_misconfigured", message: error.message, isFree: true}
  if (!(error instanceof ModelFailure)) return undefined
  const reasons = {busy: "provider_unavailable", malformed: "answer_malformed", refused: "provider_refused"} as const
  return {
    kind: error.kind,
    reason: error.code === "cut" ? "provider_cut" : reasons[error.kind],
    message: messageOf(error),
    retryAfter: error.retryAfter,
    isFree: error.status !== undefined && error.status >= 400,
    isOfRun: ofRequest.includes(error.status),
  }
}

/**
 * Continues with the next model, or retries the run after a pause if all rest, unless its attempts are used up. What
 * the call may have used stays counted.
 */
export const tryAgain = async (
  call: Call,
  {kind, reason, message, retryAfter = 0, isFree = false, isOfRun = false}: Failure,
  active: number,
  settled?: Change,
): Promise<After> => {
  const {attempt, step, model, models} = call
  const {engine, run} = attempt
  const text = engine.hide(message)
  const free = isFree ? settling(call, {tokens: 0, money: 0}) : undefined
  const counted = settled ?? {...free, added: {...free?.added, active, steps: isFree ? -1 : 0}}
  const failures = run.failures + 1
  const noted = {
    ...counted,
    statements: [notingFailure(run.seq, step.n, text), ...(counted.statements ?? [])],
    steps: [{...step, failed: model.settings.model}],
  }
  engine.cooling.failed(model, {isRefused: kind === "refused", retryAfter, ...(isOfRun ? {run: run.seq} : {})})
  const next = engine.cooling.next(models, run.seq)
  const tries = models.length * (next.is === "ready" ? mostTries.busy : mostTries[kind])
  if (next.is === "none" || failures >= tries) return fail(attempt, reason, text, noted)
  const change = {...noted, run: {failures}}
  const failed = `the model call of run ${run.runId} to ${model.source} (${model.at}) failed: ${reason}: ${text}`
  if (next.is === "ready") {
    engine.log.warn(`${failed}; ${next.model.source} is next`, {runId: run.runId})
    await attempt.write({...change, asserts: [assertFailures(run)]}, haveFailed(failures))
    return "goes on"
  }
  const backoff = pauseAfter(Math.ceil(failures / models.length), busyPauses)
  const pause = Math.round(Math.min(longestPause, Math.max(backoff, next.pause)))
  engine.log.warn(`${failed}; it is retried in ${pause} ms`, {runId: run.runId})
  const parked = parking(run, "retry", engine.clock.now() + pause, text)
  await attempt.write({...change, statements: [...noted.statements, parked]}, runIs("waiting", "queued"))
  engine.wakeIn(run, pause)
  return "is over"
}

/** A batch that leaves the run to its attempt must not be stored twice: it returns what was reserved. */
const assertFailures = ({seq, failures}: AgentRun): Statement =>
  assertThat("EXISTS (SELECT 1 FROM agent_runs WHERE seq = ? AND failures = ?)", [seq, failures])

const haveFailed =
  (failures: number): IsStored =>
  async (database, {seq}) =>
    (await readNumber(database, "SELECT failures FROM agent_runs WHERE seq = ?", [seq])) === failures
