import type {UserPartName} from "../../shared/api/users/users.ts"
import type {FactReadings} from "../../shared/attention/alert-facts.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import type {Reading} from "../../shared/metrics/readings.ts"
import {problems} from "../../shared/problems.ts"
import type {Route} from "../../shared/route.ts"
import type {Row} from "../../shared/sdk/session/database.ts"

export interface Exit {
  readonly code: ExitCode
  readonly reason: string
}

/** Whether an operator wanted this exit, rather than a failure or, as a problem's code, a lost lease or lock. */
export const isPlannedEnd = ({code, reason}: Exit): boolean => code !== exit.failed && !Object.hasOwn(problems, reason)

/**
 * A part of a Host. The Host is one ordered list of parts. They start in its order, each after the ones before it. They
 * stop in three phases: all stop taking new work at once, the last part first; then they drain, and then they close,
 * one after the other, the last one first. What a part leaves out, it does not need.
 */
export interface Part {
  /** For log lines: `the inbox`. */
  readonly name: string
  /** A part without it runs from its creation. */
  start?(): unknown
  /** Takes nothing new. The result is awaited before `close`, within its limit. */
  stopTaking?(exit: Exit): unknown
  /** Resolves when nothing is in progress; `later` does when the parts after it have drained. All share a time limit. */
  drain?(later: Promise<unknown>): unknown
  close?(exit: Exit): unknown
  /** The time limit of closing, in milliseconds; after it, the next part closes while this one continues. */
  readonly limit?: number
  /** The log line when the closing exceeds its limit. */
  readonly late?: string
  /** Loads its handlers, once the Host serves. */
  routes?(): Promise<readonly Route[]>
  readonly metrics?: readonly Reading[]
  /** What alerts look at. */
  readonly facts?: FactReadings
  /** Is nothing of it running? Only parts that run handlers, or start them, have it. */
  isIdle?(): boolean
  /** Resolves when nothing of it is running. */
  idle?(): unknown
  /** Rows of a user were forgotten: the part updates its memory. */
  forgotten?(part: UserPartName, rows: readonly Row[]): unknown
}
