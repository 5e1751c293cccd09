import type {TimerView} from "../../shared/api/scheduled/timers.ts"
import type {Static} from "../../shared/type.ts"
import {type Finding, warning} from "./finding.ts"

/** Timers of a running Host that wait for somebody. */
export interface StuckTimers {
  /** The newest of those that came due and did not fire. */
  readonly failed: readonly Static<typeof TimerView>[]
  /** Does a restore hold any? */
  readonly held: boolean
}

export const checkTimers = ({failed, held}: StuckTimers): readonly Finding[] => [
  ...failed.map(({id, plugin, name, reason}) =>
    warning(
      "timers",
      `timer ${id} of ${plugin}/${name} came due and is kept: ${reason ?? "failed"}`,
      `Bring back what handles it, or run svc timer cancel ${id}`,
    ),
  ),
  ...(held
    ? [
        warning(
          "timers",
          "a restore holds timers",
          "svc timer list --state held; then svc timer release --held, or svc timer cancel --held",
        ),
      ]
    : []),
]
