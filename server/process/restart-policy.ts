import {type ExitCode, exit} from "../../shared/exit.ts"
import {type Backoff, pauseAfter} from "../../shared/sdk/adapter/backoff.ts"
import {startLimit} from "../../shared/start-limit.ts"

/** Five starts in a row take 7.5 s of pauses. No chance in them: a daemon has one Host, and nothing else waits for it. */
const pauses: Backoff = {first: 500, longest: 8000}
const always = () => 1

export interface HostEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export type Decision =
  | {readonly is: "again"; readonly after: number; readonly why: string}
  | {readonly is: "ended"; readonly code: ExitCode; readonly why: string}

/**
 * What the daemon does when its Host has ended without being asked to by the daemon. `starts` are the times of all
 * starts, the newest last, in milliseconds on the clock of `now`.
 */
export const decide = (end: HostEnd, starts: readonly number[], now: number): Decision => {
  const why = describeEnd(end)
  if (isAsked(end)) return {is: "ended", code: exit.ok, why}
  const wantsRestart = end.code === exit.consoleRestart || end.code === exit.runtimeRestart
  const after = wantsRestart ? 0 : pauseAfter(countSince(starts, now), pauses, always)
  if (countSince(starts, now + after) < startLimit.starts) return {is: "again", after, why}
  const limit = `${startLimit.starts} starts in ${startLimit.within / 1000} s`
  return {is: "ended", code: exit.failed, why: `${limit} are the limit, and ${why}`}
}

/** Somebody stopped the Host itself. */
const isAsked = ({code, signal}: HostEnd) =>
  code === exit.ok || code === 130 || code === 143 || signal === "SIGTERM" || signal === "SIGINT"

const countSince = (starts: readonly number[], now: number): number =>
  Math.max(1, starts.filter(at => at > now - startLimit.within).length)

const reasons: Readonly<Record<number, string>> = {
  [exit.ok]: "in order",
  [exit.consoleRestart]: "a restart was requested",
  [exit.runtimeRestart]: "the runtime needs a restart",
  [exit.unasked]: "nobody had asked for it",
}

export const describeEnd = ({code, signal}: HostEnd): string => {
  if (code === null) return signal === null ? "the Host could not be started" : `the Host was killed by ${signal}`
  const reason = reasons[code]
  return `the Host ended with exit code ${code}${reason === undefined ? "" : ` (${reason})`}`
}
