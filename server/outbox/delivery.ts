import {fromJson} from "../../shared/json.ts"
import {messageOf} from "../../shared/problems.ts"
import {type Backoff, pauseAfter} from "../../shared/sdk/adapter/backoff.ts"
import {isRefusal, postponementOf, refused} from "../../shared/sdk/adapter/refusal.ts"
import type {Sender} from "../../shared/sdk/adapter/sender.ts"
import type {Node} from "../../shared/sdk/content/elements.ts"
import type {Row} from "../../shared/sdk/session/database.ts"
import type {Policy} from "../endpoints/policy.ts"
import {TimeLimitExceeded, withTimeLimit} from "../runtime/flow/time-limit.ts"
import {type PartsOf, type Performed, type Progress, perform} from "./acting.ts"
import {presentButtons} from "./buttons.ts"
import type {CallContent, OutboxDraft} from "./draft.ts"

/** The direct channels that each connection has opened, by user. */
const opened = new WeakMap<Sender, Map<string, string>>()

/** Returns the channel of a user's direct messages. Asks the platform once for each connection. */
const directChannel = async (sender: Sender, user: string, signal: AbortSignal): Promise<string> => {
  const known = opened.get(sender) ?? new Map<string, string>()
  opened.set(sender, known)
  const found = known.get(user)
  if (found !== undefined) return found
  if (sender.open === undefined) {
    throw refused("the endpoint opens no direct channels", {reason: "unsupported", remediation: "Send to a channel."})
  }
  const {id} = await sender.open(user, signal)
  known.set(user, id)
  return id
}

export interface Timing {
  readonly retry: Backoff
  /** How long an attempt may take before it times out, in milliseconds. */
  readonly limit: number
  /** After this number of failed attempts, a message is dead: the Host does not retry it. */
  readonly mostAttempts: number
}

export const usualTiming: Timing = {retry: {first: 1000, longest: 60_000}, limit: 30_000, mostAttempts: 8}

/** The limits of the wait that a platform may ask for, in milliseconds. */
export const longestWait = 86_400_000
export const shortestWait = 200

/** How one attempt ended. */
export type End =
  | ({readonly is: "sent"} & Omit<Performed, "done" | "of">)
  /** More of its parts follow at once, at the endpoint's pace. */
  | ({readonly is: "partly"; readonly limit: number | undefined} & Performed)
  | {readonly is: "queued"; readonly error: string; readonly wait: number; readonly counts: boolean}
  | {readonly is: "failed" | "dead" | "unknown" | "expired"; readonly error: string; readonly reason: string}

export interface Attempt {
  readonly sender: Sender
  readonly policy: Policy
  /** The number of the attempt, from 1. */
  readonly number: number
  /** Its number among the attempts that count, from 1. */
  readonly counted: number
  readonly timing: Timing
  readonly partsOf: PartsOf
  readonly scrub?: ((text: string) => string) | undefined
  /** Called once the platform was called. Earlier steps, such as opening a direct channel, may take time. */
  readonly called?: () => void
}

/** Makes one attempt to its end. Never rejects. */
export const attempt = async (
  row: Row,
  {sender, policy, number, counted, timing, partsOf, scrub = text => text, called = () => {}}: Attempt,
): Promise<End> => {
  const progress = progressOf(row, policy)
  const isRepeated = isRepeat(row, number)
  try {
    const {done, of, ...result} = await withTimeLimit(timing.limit, async signal => {
      const {user} = row
      const channel = typeof user === "string" ? await directChannel(sender, user, signal) : String(row.channel)
      const kind = row.kind as OutboxDraft["kind"]
      const act = {id: String(row.id), channel, kind, content: contentOf(row, policy), progress, isRepeated}
      return perform(act, sender, partsOf, signal, called)
    })
    return done < of ? {is: "partly", done, of, limit: progress.limit, ...result} : {is: "sent", ...result}
  } catch (error) {
    const end = judge(error, policy, counted, timing)
    return "error" in end ? {...end, error: `${arrived(row)}${scrub(end.error)}`} : end
  }
}

/** The progress as `Finish` stores it. */
interface StoredProgress {
  readonly done: number
  readonly of: number
  readonly limit?: number
  /** The attempt that did the last part. */
  readonly attempt?: number
}

const readProgress = ({progress}: Row): StoredProgress | undefined =>
  typeof progress === "string" ? fromJson(progress) : undefined

/** Has an earlier attempt of this message, or of its next part, begun? */
const isRepeat = (row: Row, number: number): boolean => number > (readProgress(row)?.attempt ?? 0) + 1

const progressOf = (row: Row, {limits}: Policy): Progress => {
  const stored = readProgress(row)
  if (stored === undefined) return {done: 0, ids: [], limit: limits.text}
  return {done: stored.done, ids: fromJson(String(row.platform_ids ?? "[]")), limit: stored.limit}
}

/** Returns how many parts are known to have arrived, in front of the error of the next part. */
export const arrived = (row: Row): string => {
  const progress = readProgress(row)
  if (progress === undefined) return ""
  const are = row.kind === "message" ? "arrived" : "are done"
  return `${progress.done} of ${progress.of} parts ${are}; `
}

/** Returns what a failed attempt means for its message. */
export const judge = (error: unknown, policy: Policy, counted: number, timing: Timing): End => {
  const message = messageOf(error)
  if (isRefusal(error)) return {is: "failed", error: message, reason: error.reason}
  const wait = postponementOf(error)
  if (wait !== undefined) {
    return {is: "queued", error: message, wait: Math.min(Math.max(shortestWait, wait), longestWait), counts: false}
  }
  const mayBeThere = error instanceof TimeLimitExceeded && !policy.resumes && !policy.idempotent
  if (mayBeThere && policy.onUnknown === "hold") {
    return {is: "unknown", error: `${message}; it may have arrived`, reason: "timed_out"}
  }
  if (counted >= timing.mostAttempts) return {is: "dead", error: message, reason: "attempts"}
  return {is: "queued", error: message, wait: Math.round(pauseAfter(counted, timing.retry)), counts: true}
}

/** Returns how a row is sent. A platform's own method says itself whether the Host may call it again. */
export const policyFor = ({kind, content}: Row, policy: Policy): Policy => {
  if (kind !== "call") return policy
  const {repeats}: CallContent = fromJson(String(content))
  return repeats === undefined ? policy : {...policy, idempotent: repeats, resumes: repeats}
}

/** Returns the new state of a message that a killed Host left `sending`. */
export const judgeInterrupted = (
  policy: Policy,
  attempt: number,
  {mostAttempts}: Timing,
): "queued" | "unknown" | "dead" => {
  if (!policy.idempotent && policy.onUnknown === "hold") return "unknown"
  return attempt >= mostAttempts ? "dead" : "queued"
}

/** Returns the content of a row in the form for the platform. */
const contentOf = (row: Row, policy: Policy): unknown => {
  const text = String(row.content)
  const content: unknown = fromJson(text)
  const isAct = row.kind === "edit"
  if (!text.includes('"action:') || (row.kind !== "message" && !isAct)) return content
  const id = String(row.id)
  if (!isAct) return presentButtons(content as readonly Node[], id, policy)
  const edit = content as {readonly content: readonly Node[]}
  return {...edit, content: presentButtons(edit.content, id, policy)}
}
