import type {ReadinessReport} from "../../../shared/api/readiness.ts"
import type {DiskLimit} from "../../capacity/disk-watch.ts"
import type {Database} from "../../database/database.ts"
import type {Endpoints} from "../../endpoints/endpoints.ts"
import type {Ingress} from "../../endpoints/ingress.ts"
import type {EventLog} from "../../events/log.ts"
import type {EventStream} from "../../events/stream.ts"
import type {Generations} from "../../generation/generations.ts"
import type {RequestMeter} from "../../http/request-meter.ts"
import type {HandlerMeter} from "../../inbox/handler-meter.ts"
import type {Logs} from "../../logs/log.ts"
import type {Checkpoints} from "../../recovery/checkpoint/checkpoints.ts"
import type {Workroom} from "../../workroom/workroom.ts"

/** What the metrics are read from, each time that the page is asked for. */
export interface MetricsSources {
  readonly identity: {
    readonly project: string
    readonly runtimeId: string
    readonly authority: string
    readonly mode: string
    readonly runtime: {readonly name: string; readonly version: string}
    readonly supervisor: () => string
  }
  readonly generations: Generations
  readonly endpoints: Endpoints
  readonly database: Database
  readonly ingress: Ingress
  readonly events: {readonly events: EventLog; readonly stream: EventStream}
  readonly workroom: Workroom
  readonly checkpoints: Checkpoints
  readonly logs: Logs
  readonly handlers: HandlerMeter
  readonly disk: DiskLimit
  readonly requests: RequestMeter
  readonly report: () => ReadinessReport
  readonly isReady: () => boolean
}
