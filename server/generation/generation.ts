import type {Binding} from "../../shared/agents/binding.ts"
import type {CapabilityKind, PluginPath} from "../../shared/ids.ts"
import type {Problem} from "../../shared/problems.ts"
import type {PluginPage} from "../../shared/sdk/plugin/page.ts"
import type {PluginRoute} from "../../shared/sdk/plugin/route.ts"
import type {LoadedConfig} from "../config/load.ts"
import type {EndpointSpec} from "../endpoints/spec.ts"
import type {Handler} from "../messages/session/handler.ts"
import type {MessageTable} from "../messages/table.ts"
import type {DeclaredJob, DeclaredTool} from "../plugins/declarations/declared.ts"
import type {Instance} from "../plugins/instance.ts"

export interface Capability {
  /** `<owner>/<kind>/<name>` */
  readonly id: string
  readonly owner: PluginPath
  readonly kind: CapabilityKind
  readonly name: string
  readonly description?: string
}

export interface PublishedRoute {
  readonly instance: Instance
  readonly route: PluginRoute
}

/** A page that the configuration lists. */
export interface PublishedPage {
  readonly instance: Instance
  readonly page: PluginPage
}

export type PublishedJob = Handler & DeclaredJob

export type PublishedTool = Handler & DeclaredTool

/** Everything that the instances of a generation publish; frozen. */
export interface Snapshot {
  readonly messages: MessageTable
  readonly endpoints: readonly EndpointSpec[]
  /** By plugin and name, `<plugin>/<job>`. */
  readonly jobs: ReadonlyMap<string, PublishedJob>
  /** By plugin and name, `<plugin>.<tool>`. */
  readonly tools: ReadonlyMap<string, PublishedTool>
  readonly routes: readonly PublishedRoute[]
  readonly pages: readonly PublishedPage[]
  readonly capabilities: readonly Capability[]
  /** The agent bindings by name, including disabled ones. */
  readonly agents: ReadonlyMap<string, Binding>
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
  /** Notes for people about things that work but may not do what their author meant. */
  readonly notes: readonly string[]
}

/** A draft that was not committed. */
export interface Failure {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly reason: string
  readonly problem: Problem
  /** The hash of the configuration that was not committed; undefined if it was not read. */
  readonly configSha256?: string | undefined
}

/** The generation whose configuration runs instead of the file's, and the file content that the pin is for. */
export interface Pin {
  readonly number: number
  readonly fileSha256: string
}

/** A pin that is set with a generation; `own` pins the configuration of that generation itself. */
export interface NewPin {
  readonly number: number | "own"
  readonly fileSha256: string
}
