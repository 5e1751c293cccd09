import type {Log} from "../../../shared/log.ts"
import type {Feature, FileRef} from "../../../shared/sdk/adapter/sender.ts"
import type {Login} from "../../../shared/sdk/content/satori.ts"
import type {Permission} from "../../../shared/sdk/session/permission.ts"
import type {Attempt, InboxEvent} from "../../inbox/intake/handling.ts"
import type {Address} from "../../outbox/draft.ts"
import type {DraftFiles} from "../../outbox/files/draft-files.ts"
import type {Source} from "../../runtime/outgoing/bounded-stream.ts"
import type {Form} from "../forms/form.ts"
import type {PluginSide} from "./handler.ts"
import type {SessionTimers} from "./timers.ts"

/** The endpoint functions that sessions use; passed in by the composition root. */
export interface EndpointActs {
  /** Throws `endpoint_unknown`, `unsupported`. */
  requireTarget(address: Address): void
  /** Throws `endpoint_unknown`, `unsupported`. */
  requireFeature(endpoint: string, feature: Feature): void
  /** Returns how a method may be called. Throws the errors of `requireMethod`. */
  requireMethod(
    endpoint: string,
    method: string,
    plugin: Pick<PluginSide, "name" | "platform"> | undefined,
  ): {readonly acts: boolean; readonly repeats?: boolean}
  /** Returns false for an unknown endpoint. */
  hasFeature(endpoint: string, feature: Feature): boolean
  /** Returns who the bot is at an endpoint. */
  loginOf?(endpoint: string): Login
  /** Best effort: never throws and waits for nothing. */
  typing(endpoint: string, channel: string): void
  /**
   * Opens a file through the endpoint's adapter; undefined if the adapter leaves it to the Host. Throws
   * `endpoint_unknown`, `endpoint_offline`, `platform_failed`, `file_unavailable`.
   */
  download(endpoint: string, file: FileRef, signal: AbortSignal): Promise<Source | undefined>
}

export interface SessionOptions {
  readonly stored: InboxEvent
  readonly attempt: Attempt
  readonly plugin: PluginSide | undefined
  readonly endpoints: EndpointActs
  readonly timers: SessionTimers
  /** Stores the files that it sends; without it there are none. */
  readonly files?: DraftFiles | undefined
  readonly permissionOf: () => Permission
  readonly prefixOf: () => string
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
