import type {CapabilityKind, PluginPath} from "../../shared/ids.ts"
import type {PluginRoute} from "../../shared/plugin.ts"
import type {EndpointSpec} from "../capabilities/endpoint.ts"
import type {LoadedConfig} from "../config/load.ts"
import type {MessageTable} from "../messages/dispatch.ts"
import type {Instance} from "../plugins/instance.ts"

export interface Capability {
  /** `<owner>/<kind>/<name>` */
  readonly id: string
  readonly owner: PluginPath
  readonly kind: CapabilityKind
  readonly name: string
}

export interface PublishedRoute {
  readonly instance: Instance
  readonly route: PluginRoute
}

/** What the instances of a generation publish; frozen. */
export interface Snapshot {
  readonly messages: MessageTable
  readonly endpoints: readonly EndpointSpec[]
  readonly routes: readonly PublishedRoute[]
  readonly capabilities: readonly Capability[]
}

/** A numbered, immutable state of configuration, plugin instances and capabilities. */
export interface Generation {
  readonly number: number
  /** Milliseconds since 1970. */
  readonly committedAt: number
  readonly reason: string
  readonly config: LoadedConfig
  readonly instances: readonly Instance[]
  readonly snapshot: Snapshot
}

/** Whose configuration runs instead of the file's, and for which content of the file. */
export interface Pin {
  readonly number: number
  readonly fileSha256: string
}
