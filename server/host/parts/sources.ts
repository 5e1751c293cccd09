import type {Mode} from "../../../shared/mode.ts"
import type {Database} from "../../database/database.ts"
import type {RunHistory} from "../../database/state/runs.ts"
import type {HandlerMeter} from "../../messages/handler-meter.ts"
import type {Logs} from "../../runtime/logs/log.ts"
import type {Runtime} from "../../runtime/runtime.ts"
import type {HostParts} from "./create-parts.ts"

/** The identity of a Host. It does not change while the process runs. */
export interface Identity {
  readonly project: string
  readonly runtimeId: string
  readonly authority: string
  readonly mode: Mode
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** The generation that runs because the project as it is did not start; undefined otherwise. */
  readonly lastGood: {readonly generation: number; readonly why: string} | undefined
  /** The history of earlier runs. */
  readonly history: RunHistory
  readonly runtime: Pick<Runtime, "name" | "version">
  /** Returns who restarts the Host, or `none`. The Host asks each time, because a daemon may die before its Host. */
  readonly supervisor: () => string
}

/** What report, status, metrics and alerts read. */
export interface Sources extends HostParts {
  readonly identity: Identity
  readonly database: Database
  readonly handlers: HandlerMeter
  readonly logs: Logs
}
