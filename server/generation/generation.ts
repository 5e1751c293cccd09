import type {Binding} from "../../shared/agents/binding.ts"
import type {CapabilityKind, PluginPath} from "../../shared/ids.ts"
import type {Problem} from "../../shared/problems.ts"
import type {LoadedConfig} from "../config/load.ts"
import type {EndpointSpec} from "../endpoints/spec.ts"
import type {IdRules} from "../messages/command/permissions.ts"
import type {MessageTable} from "../messages/table.ts"
import type {Instance} from "./instances/instance.ts"
import type {PublishedJob} from "./kinds/job.ts"
import type {PublishedPage} from "./kinds/page.ts"
import type {PublishedRoute} from "./kinds/route.ts"
import type {PublishedTool} from "./kinds/tool.ts"

export interface Capability {
  /** `<owner>/<kind>/<name>` */
  readonly id: string
  readonly owner: PluginPath
  readonly kind: CapabilityKind
  readonly name: string
  readonly description?: string
}

/** Everything that the instances of a generation publish; frozen. */
export interface Snapshot {
  readonly messages: MessageTable
  readonly endpoints: readonly EndpointSpec[]
  readonly idRules: ReadonlyMap<string, IdRules>
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
