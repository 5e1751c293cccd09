import type {ProjectConfig} from "../../../shared/config/config.ts"
import type {Mode} from "../../../shared/mode.ts"
import type {Secret} from "../../../shared/secret.ts"
import type {StandIns} from "../../agents/stand-ins.ts"
import type {Database} from "../../database/database.ts"
import type {Endpoints} from "../../endpoints/endpoints.ts"
import type {Generations} from "../../generation/generations.ts"
import type {BuiltIns} from "../../generation/plugins/load.ts"
import type {Inbox} from "../../inbox/inbox.ts"
import type {Outbox} from "../../outbox/outbox.ts"
import type {Clock} from "../../runtime/flow/clock.ts"
import type {Blocked} from "../../runtime/flow/watchdog.ts"
import type {Logs} from "../../runtime/logs/log.ts"
import type {Exit} from "../../runtime/part.ts"
import type {UnaskedExit} from "../../runtime/process/unasked-exit.ts"

export interface HostOptions {
  readonly project: string
  readonly mode: Mode
  /** Names the `.env.<name>` file; the mode when left out. */
  readonly environment?: string
  /** Apply changes of configuration and plugin source as soon as they are saved. */
  readonly watch: boolean
  /** Run built plugins that do not match their source. Then no release can be completed. */
  readonly allowStale?: boolean
  /** The command line that restarts this Host: program, options, script, arguments. It serves to try a change. */
  readonly nextStart?: readonly string[]
  /** The command that started this process, for the message to others that the lock refuses. */
  readonly command: string
  /** Returns who restarts the Host, or `none`. The Host asks each time, because a daemon may die before its Host. */
  readonly supervisor: () => string
  /** For a process that runs only the Host: reports unexpected exits. */
  readonly onUnaskedExit?: (hear: (unasked: UnaskedExit) => void) => void
  readonly logs: Logs
  /** Called with a description of the readiness once a generation runs: a provisional one, then the committed one. */
  readonly onUp?: (readiness: () => string) => void
  /** Plugins without a file, by the name in `plugins.<name>` or `use:`. */
  readonly plugins?: BuiltIns
  /** The clock for everything that falls due later; defaults to the system's. A plugin's test passes its own. */
  readonly clock?: Clock
  /** For an evaluation: what agents use in place of models and tools. */
  readonly standIns?: StandIns
  /** The only endpoint that opens; all when left out. */
  readonly onlyEndpoint?: string
  /** The folder is deleted after this run, so the database need not reach the disk. */
  readonly isScratch?: boolean
  /** Aborts a start in progress. */
  readonly signal: AbortSignal
}

/** One running process for one project. */
export interface Host {
  /** Includes `http.base`, without a trailing slash. */
  readonly url: string
  readonly runtimeId: string
  readonly project: string
  readonly generations: Generations
  /** `watchdog` of the configuration that the Host started with. */
  readonly watchdog: ProjectConfig["watchdog"]
  readonly endpoints: Endpoints
  readonly database: Database
  readonly inbox: Inbox
  readonly outbox: Outbox
  /** The token generated for this run: in development without `http.token`. */
  readonly token: Secret | undefined
  /** Resolves once no handler, job, timer or send is running, or could run before the clock advances. */
  idle(): Promise<void>
  /** Whether the Host is settled now. */
  isIdle(): boolean
  /** Deletes the rows whose retention has ended at this time, in milliseconds since 1970. */
  sweep(now: number): Promise<unknown>
  /** The usages of the running generation's commands. */
  commands(): readonly string[]
  /** Resolves when the Host itself asks the process to exit: after a restart over the API, or a lost lease. */
  readonly exitAsked: Promise<Exit>
  /** Reloads the configuration. Never rejects: a failure is logged and shown. */
  reload(reason: string): Promise<void>
  /**
   * If the database file was removed or replaced, writes the data that only the Host still holds into a new file. Call
   * it before `stop`, so that its time does not count against the stop's limit: a large database takes longer. Never
   * rejects.
   */
  rescueBeforeEnd(): Promise<void>
  /** Stops gracefully, within ten seconds. */
  stop(exit: Exit): Promise<void>
  /** The event loop was blocked and is free again. */
  wasBlocked(blocked: Blocked): void
  /** Handles an uncaught exception. */
  contain(error: unknown): Promise<void>
}
