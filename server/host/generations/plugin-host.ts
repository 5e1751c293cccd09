import {v7 as uuid} from "uuid"
import {nodesOf} from "../../../shared/sdk/elements.ts"
import type {Endpoints} from "../../endpoints/endpoints.ts"
import type {Outbox} from "../../outbox/outbox.ts"
import type {PluginHost} from "../../plugins/plugin-host.ts"

export interface PluginHostOptions {
  readonly outbox: Outbox
  readonly endpoints: Pick<Endpoints, "require">
}

/** What a running Host does for its plugins outside handlers. */
export const createPluginHost = ({outbox, endpoints}: PluginHostOptions): PluginHost => ({
  send: async (_, target, content) => {
    endpoints.require(target.endpoint)
    const id = uuid()
    await outbox.enqueue({id, kind: "message", ...target, content: nodesOf(content)})
    return id
  },
})
