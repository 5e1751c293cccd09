import type {Raise} from "../../shared/events.ts"
import type {Mode} from "../../shared/mode.ts"
import type {Bindings} from "../agents/bindings/bindings.ts"
import type {AgentMeter} from "../agents/meter.ts"
import type {AgentService} from "../agents/service.ts"
import type {DiskLimit} from "../capacity/disk-watch.ts"
import type {CapacityService, DamageService, RescueService} from "../capacity/routes.ts"
import type {UserService} from "../capacity/user/routes.ts"
import type {StatusBoard} from "../console/status/board.ts"
import type {Database} from "../database/database.ts"
import type {RunHistory} from "../database/runs.ts"
import type {Endpoints} from "../endpoints/endpoints.ts"
import type {Ingress} from "../endpoints/ingress.ts"
import type {EventServices} from "../events/routes.ts"
import type {FileStore} from "../files/store.ts"
import type {Generation} from "../generation/generation.ts"
import type {Generations} from "../generation/generations.ts"
import type {PluginNames} from "../generation/routes/config-form.ts"
import type {Configuration} from "../generation/routes/edit-config.ts"
import type {HandlerMeter} from "../inbox/handler-meter.ts"
import type {Inbox} from "../inbox/inbox.ts"
import type {Logs} from "../logs/log.ts"
import type {Outbox} from "../outbox/outbox.ts"
import type {RunningBuild} from "../recovery/build/running.ts"
import type {Checkpoints} from "../recovery/checkpoint/checkpoints.ts"
import type {Releases} from "../recovery/release/releases.ts"
import type {UncommittedWatch} from "../recovery/uncommitted.ts"
import type {Uploads} from "../recovery/upload/uploads.ts"
import type {Runtime} from "../runtime/runtime.ts"
import type {SatoriServer} from "../satori/server.ts"
import type {Jobs} from "../scheduler/jobs.ts"
import type {Timers} from "../scheduler/timers/timers.ts"
import type {Workroom} from "../workroom/workroom.ts"

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

/** The parts of a running Host for routes, metrics and the status. */
export interface Services {
  readonly identity: Identity
  /** The running generation. Throws `starting` before the first one. */
  current(): Generation
  readonly generations: Generations
  readonly configuration: Configuration
  readonly pluginNames: PluginNames
  /** Whether git has the configuration as it is. */
  readonly uncommitted: UncommittedWatch
  readonly endpoints: Endpoints
  readonly database: Database
  readonly events: EventServices & {readonly raise: Raise}
  readonly inbox: Inbox
  readonly outbox: Outbox
  readonly handlers: HandlerMeter
  readonly files: FileStore
  readonly ingress: Ingress
  readonly jobs: Jobs
  readonly timers: Timers
  readonly workroom: Workroom
  readonly agents: AgentService
  readonly bindings: Bindings
  readonly agentMeter: AgentMeter
  readonly build: RunningBuild
  readonly checkpoints: Checkpoints
  readonly uploads: Uploads
  readonly releases: Releases
  readonly capacity: CapacityService
  readonly damageWatch: DamageService
  readonly placeWatch: RescueService
  readonly users: UserService
  readonly disk: DiskLimit
  readonly satori: SatoriServer
  readonly statusBoard: StatusBoard
  readonly logs: Logs
  /** The folder with the logs of earlier runs. */
  readonly logFolder: string
}
