import {type ExitCode, exit} from "../../../shared/exit.ts"
import {type Backoff, pauseAfter} from "../../../shared/sdk/adapter/backoff.ts"
import {startLimit} from "../../../shared/start-limit.ts"

/** The pauses sum up to 7.5 s over five starts. They have no jitter, because a daemon has only one Host. */
const pauses: Backoff = {first: 500, longest: 8000}

export interface HostEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export type Decision =
  | {readonly is: "again"; readonly after: number; readonly why: string}
  | {readonly is: "ended"; readonly code: ExitCode; readonly why: string}

/**
 * Decides what the daemon does after its Host has exited without the daemon's request. `starts` are the times of all starts,
 * the newest last, in milliseconds on the clock of `now`.
 */
export const decide = (end: HostEnd, starts: readonly number[], now: number): Decision => {
  const why = describeEnd(end)
  if (isAsked(end)) return {is: "ended", code: exit.ok, why}
  const wantsRestart = end.code === exit.consoleRestart || end.code === exit.runtimeRestart
  const after = wantsRestart ? 0 : pauseAfter(countSince(starts, now), pauses, () => 1)
  if (countSince(starts, now + after) < startLimit.starts) return {is: "again", after, why}
  const limit = `${startLimit.starts} starts in ${startLimit.within / 1000} s`
  return {is: "ended", code: exit.failed, why: `the limit is ${limit}, and ${why}`}
}

/** Returns whether an operator stopped the Host directly. */
const isAsked = ({code, signal}: HostEnd) =>
  code === exit.ok || code === 130 || code === 143 || signal === "SIGTERM" || signal === "SIGINT"

const countSince = (starts: readonly number[], now: number): number =>
  Math.max(1, starts.filter(at => at > now - startLimit.within).length)

const reasons: Readonly<Record<number, string>> = {
  [exit.ok]: "a normal stop",
  [exit.consoleRestart]: "an operator requested a restart",
  [exit.runtimeRestart]: "a change needs a restart",
  [exit.unasked]: "nobody requested it",
}

export const describeEnd = ({code, signal}: HostEnd): string => {
  if (code === null) return signal === null ? "the Host could not be started" : `the Host was killed by ${signal}`
  const reason = reasons[code]
  return `the Host exited with code ${code}${reason === undefined ? "" : ` (${reason})`}`
}
