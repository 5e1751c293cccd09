import type {ProjectConfig} from "../../shared/config.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import type {Mode} from "../../shared/mode.ts"
import type {Secret} from "../../shared/secret.ts"
import type {Database} from "../database/database.ts"
import type {Endpoints} from "../endpoints/endpoints.ts"
import type {Generations} from "../generation/generations.ts"
import type {Inbox} from "../inbox/inbox.ts"
import type {Logs} from "../logs/log.ts"
import type {Outbox} from "../outbox/outbox.ts"
import type {BuiltIns} from "../plugins/load.ts"
import type {Clock} from "../runtime/flow/clock.ts"
import type {Blocked} from "../runtime/flow/watchdog.ts"
import type {UnaskedExit} from "../runtime/process/unasked-exit.ts"

export interface HostOptions {
  /** The project's folder. */
  readonly project: string
  readonly mode: Mode
  /** Names the `.env.<name>` file; the mode when left out. */
  readonly environment?: string
  /** Take changes of configuration and plugin source as they are saved. */
  readonly watch: boolean
  /** Run built plugins that do not fit their source: then no release can be completed. */
  readonly allowStale?: boolean
  /**
   * The command line that starts this Host again: program, its options, the script, its words. With it a change is tried
   * before the Host ends for it.
   */
  readonly nextStart?: readonly string[]
  /** How this process was started, for whoever is refused. */
  readonly command: string
  /** Who starts the Host again; `none` where nobody does. Asked each time: a daemon may die before its Host. */
  readonly supervisor: () => string
  /** Where the process is the Host's own: hears an end of it that nobody asked for. */
  readonly onUnaskedExit?: (hear: (unasked: UnaskedExit) => void) => void
  readonly logs: Logs
  /** Plugins that need no file: by the name in `plugins.<name>` or `use:`. */
  readonly plugins?: BuiltIns
  /** For all that falls due later: the system's when left out; a test of a plugin has its own. */
  readonly clock?: Clock
  /** The folder is thrown away after this run: its database need not reach the disk. */
  readonly isScratch?: boolean
  /** Ends a start that is still under way. */
  readonly signal: AbortSignal
}

export interface Exit {
  readonly code: ExitCode
  readonly reason: string
}

/** Did an operator want this end, rather than a failure or a lost lease? */
export const isPlannedEnd = ({code, reason}: Exit): boolean =>
  code !== exit.failed && reason !== "lease_lost" && reason !== "lock_lost"

/** One running process for one project. */
export interface Host {
  /** With `http.base`, without a slash at the end. */
  readonly url: string
  readonly runtimeId: string
  readonly project: string
  readonly authority: string
  readonly generations: Generations
  /** `watchdog` of the configuration that it started with. */
  readonly watchdog: ProjectConfig["watchdog"]
  readonly endpoints: Endpoints
  readonly database: Database
  readonly inbox: Inbox
  readonly outbox: Outbox
  /** Made for this run: in development without `http.token`. */
  readonly token: Secret | undefined
  /** Resolves once nothing runs, and nothing waits that could run before the clock goes on: handlers, jobs, timers, sends. */
  settled(): Promise<void>
  /** Whether that is so now. */
  isQuiet(): boolean
  /** How the commands of the running generation are called. */
  commands(): readonly string[]
  /** Resolves when something inside asks the process to end: a restart over the API, a lost lease. */
  readonly exitAsked: Promise<Exit>
  /** Takes the configuration as it is now. Never rejects: a failure is logged and shown. */
  reload(reason: string): Promise<void>
  /**
   * Writes what the Host alone holds of a database file that was removed or replaced into a new one; nothing else. Call it before
   * `stop`, and before the limit of the stop begins: a large one takes longer. Never rejects.
   */
  rescueBeforeEnd(): Promise<void>
  /** Ends in order, within ten seconds. */
  stop(exit: Exit): Promise<void>
  /** The event loop was blocked, and is free again. */
  wasBlocked(blocked: Blocked): void
  /** Deals with an exception that nobody caught. */
  contain(error: unknown): Promise<void>
}
