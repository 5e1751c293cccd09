import type {TimerView} from "../../shared/api/scheduled/timers.ts"
import type {Static} from "../../shared/type.ts"
import {type Finding, warning} from "./finding.ts"

/** Timers of a running Host that wait for a person. */
export interface StuckTimers {
  /** The newest timers that came due and did not fire. */
  readonly failed: readonly Static<typeof TimerView>[]
  /** Whether a restore holds timers. */
  readonly held: boolean
}

export const checkTimers = ({failed, held}: StuckTimers): readonly Finding[] => [
  ...failed.map(({id, plugin, name, reason}) =>
    warning(
      "timers",
      `timer ${id} of ${plugin}/${name} came due but did not fire: ${reason ?? "failed"}`,
      `Enable the plugin that handles it, or run svc timer cancel ${id}`,
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
