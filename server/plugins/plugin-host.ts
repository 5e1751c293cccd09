import type {Content} from "../../shared/sdk/elements.ts"
import type {Target} from "../../shared/sdk/session.ts"

/** What plugin instances ask of the Host outside their handlers; passed in by the composition root. Each names its plugin. */
export interface PluginHost {
  /** Resolves to the outbox id once the message is durable. Throws `endpoint_unknown`, `ingress_paused`. */
  send(plugin: string, target: Target, content: Content): Promise<string>
}
