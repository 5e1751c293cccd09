import type {Content} from "../../shared/sdk/elements.ts"
import type {SendOptions} from "../../shared/sdk/plugin.ts"
import type {Target} from "../../shared/sdk/session.ts"

/** What plugin instances ask of the Host outside their handlers; passed in by the composition root. Each names its plugin. */
export interface PluginHost {
  /**
   * Resolves to the outbox id once the message is durable. Throws `target_invalid`, `endpoint_unknown`, `unsupported`,
   * `request_invalid`, `ingress_paused`.
   */
  send(plugin: string, target: Target, content: Content, options?: SendOptions): Promise<string>
  /** Resolves to whether the message was taken back. Throws `outbox_unknown`. */
  cancel(plugin: string, id: string): Promise<boolean>
}
