import type {Log} from "../../../shared/log.ts"
import type {Permission} from "../../../shared/sdk/session/permission.ts"
import type {Endpoints} from "../../endpoints/endpoints.ts"
import type {Attempt, InboxEvent} from "../../inbox/intake/handling.ts"
import type {DraftFiles} from "../../outbox/files/draft-files.ts"
import type {Form} from "../forms/form.ts"
import type {PluginSide} from "./handler.ts"
import type {SessionTimers} from "./timers.ts"

/** The endpoint functions that sessions use; passed in by the composition root. */
export type EndpointActs = Partial<Pick<Endpoints, "loginOf">> &
  Pick<Endpoints, "requireTarget" | "requireFeature" | "requireMethod" | "hasFeature" | "typing" | "download">

export interface SessionOptions {
  readonly stored: InboxEvent
  readonly attempt: Attempt
  readonly plugin: PluginSide | undefined
  readonly endpoints: EndpointActs
  readonly timers: SessionTimers
  /** Stores the files that it sends; without it there are none. */
  readonly files?: DraftFiles | undefined
  readonly permissionOf: () => Permission
  /** Hosts on private networks from which files may be read. */
  readonly privateHosts: () => readonly string[]
  /** Returns a form of the handler's plugin; there are none when left out. */
  readonly formOf?: (name: string) => Form | undefined
  /** The language of the event and its fallbacks. The project's default comes last. */
  readonly languages: readonly [string, ...string[]]
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Creates the log at first use. */
  readonly log: () => Log
  /** Aborted when the handler times out. */
  readonly signal: AbortSignal
}
