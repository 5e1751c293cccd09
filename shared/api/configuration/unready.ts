import {Optional, Type} from "../../type.ts"

/** A component of a readiness report. */
interface Listed {
  readonly kind: string
  readonly name: string
  readonly required: boolean
  readonly ready: boolean
  readonly reason?: string
  readonly message: string
  readonly remediation?: {readonly text: string; readonly command: string}
}

/** Returns the required components that are not ready, a line each: what, why, and what to do. */
export const unreadyIn = (components: readonly Listed[]): readonly string[] =>
  components.flatMap(({kind, name, required, ready, reason, message, remediation}) =>
    required && !ready ? [`${kind} ${name}: ${reason}: ${message} ${remediation?.text} (${remediation?.command})`] : [],
  )

/** Returns what commands, log and errors say about such lines. */
export const notReadyAfter = (unready: readonly string[]): string => ["not ready after this:", ...unready].join("\n  ")

/** Returns the end of what a command prints about a change. */
export const remarkOn = (unready: readonly string[] = []): string =>
  unready.length === 0 ? "" : `\n${notReadyAfter(unready)}`

export const Unready = Optional.Array(Type.String(), {
  description:
    "The required components that are not ready after this, with reason and remedy; left out if there are none. What is only connecting counts as ready",
})

export const withUnready = (unready: readonly string[]): {unready?: string[]} =>
  unready.length === 0 ? {} : {unready: [...unready]}
