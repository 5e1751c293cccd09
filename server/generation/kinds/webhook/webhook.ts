import {endpointName} from "../../../../shared/ids.ts"
import type {AdapterDefinition} from "../../../../shared/sdk/adapter/adapter.ts"
import type {WebhookCall, WebhookDefinition} from "../../../../shared/sdk/plugin/webhook.ts"
import type {Reply} from "../../../../shared/sdk/session/session.ts"
import {fieldsOf} from "../../../../shared/sdk/session/values.ts"
import {Secret} from "../../../../shared/secret.ts"
import type {TSchema} from "../../../../shared/type.ts"
import type {EventHandler} from "../../../messages/session/handler.ts"
import {type PublishedEndpoint, specOf} from "../adapter/endpoints.ts"
import {requireHandling} from "../checks.ts"
import {withData} from "../handler.ts"
import type {CapabilityName, Publishing, Setup} from "../kind.ts"
import {named} from "../named.ts"
import type {WebhookSender} from "./receive.ts"

type Definition = WebhookDefinition<TSchema>
type Handle = (call: WebhookCall<never>) => Reply

/** A webhook: an endpoint that only receives, and the handler of its events. */
export interface PublishedWebhook extends PublishedEndpoint {
  readonly handler: EventHandler
}

export const webhooks = (setup: Setup) => {
  const {declare, ...all} = named<Definition, Handle, PublishedWebhook>(setup, "webhook", {
    check,
    publish: ({id, definition, handle}, at, name) => {
      const {owner} = at
      const type = `${owner.name}/${name}`
      const adapter = adapterOf(owner, type, definition)
      const spec = {...specOf(owner, owner.name, adapter, name, definition.verify), onlyReceives: `/hooks/${type}`}
      const receive = withData(id, definition.data, call => handle({...call, type: call.session.event._type ?? type}))
      // Another platform could name its events the same.
      const wants: EventHandler["wants"] = (_, {endpoint}) => endpoint === spec.name
      return {spec, adapter, handler: {...at.handler(id, definition), type, wants, handle: receive}}
    },
  })
  return {
    ...all,
    methods: {webhook: declare},
    publish: (at: Publishing) => {
      const {items} = all.publish(at)
      return {
        items,
        capabilities: [...all.declared].flatMap(([name, {definition}]): CapabilityName[] => [
          {kind: "webhook", name, description: `/hooks/${at.owner.name}/${name}, ${definition.verify.by}`},
          {kind: "endpoint", name: endpointName(at.owner.name, name)},
        ]),
        claims: items.map(({spec: {name}}) => `the endpoint "${name}"`),
      }
    },
  }
}

const adapterOf = (
  owner: Publishing["owner"],
  type: string,
  definition: Definition,
): AdapterDefinition<TSchema, WebhookSender, "replay"> => ({
  history: "replay",
  forgetsAcknowledged: true,
  open: async (_, endpoint) =>
    (await import("./receive.ts")).openWebhook({type, definition, endpoint, now: () => owner.now()}),
  webhook: (request, {receive}) => receive(request),
})

const schemes: readonly unknown[] = ["bearer", "github", "gitlab", "hmac", "slack", "standard", "stripe"]

/** Checks a definition, because plugins may be JavaScript. */
const check = (what: string, definition: Definition): void => {
  requireHandling(what, definition)
  const {by, secret, header} = fieldsOf(definition.verify)
  if (!schemes.includes(by)) throw new Error(`${what} needs verify.by: one of ${schemes.join(", ")}`)
  const secrets = [secret].flat()
  if (secrets.length === 0 || !secrets.every(each => each instanceof Secret))
    throw new Error(`${what} needs verify.secret: a secret of the configuration, declared with Type.Secret()`)
  if (by === "hmac" && typeof header !== "string") throw new Error(`${what} needs verify.header`)
  if (definition.id === undefined && (by === "hmac" || by === "bearer"))
    throw new Error(`${what} needs id: the header or the field with the id of a request, a function, or "body"`)
}
