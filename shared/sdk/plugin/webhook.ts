import type {Static, TSchema} from "../../type.ts"
import type {Verify} from "../adapter/verify.ts"
import type {HandlerDefinition} from "../session/handler.ts"
import type {Reply, Session} from "../session/session.ts"

/** A handler's call for an event with a payload. */
export interface EventCall<D = unknown> {
  /** The payload, checked by the schema `data`. */
  readonly data: D
  readonly session: Session
}

/** One request of a webhook, after its verification. */
export interface WebhookRequest {
  readonly headers: Headers
  /** The body: JSON, the JSON in the form field `payload`, or the fields of another form. */
  readonly data: unknown
}

/** Where a request has a value: in a header, or in a field of its body such as `event.id`; or what a function returns. */
export type RequestValue =
  | {readonly header: string}
  | {readonly field: string}
  | ((request: WebhookRequest) => string | undefined)

/** The options of `plugin.webhook`. */
export interface WebhookDefinition<D = undefined> extends HandlerDefinition {
  readonly verify: Verify
  /**
   * Where a request has its id, of at most 200 characters. The Host handles an id once, for as long as it keeps ids
   * (`retention.duplicates`). With `body`, two equal bodies are one event. The Host knows it for all schemes but `bearer`
   * and `hmac`.
   */
  readonly id?: RequestValue | "body"
  /** Where a request has its type. The Host knows it for all schemes but `bearer` and `hmac`. */
  readonly type?: RequestValue
  /** Where a request has the id of its user, for `session.user` and for `svc user forget`. */
  readonly user?: RequestValue
  /** The schema of the body. One that does not fit fails the handler (`event_invalid`), without retries. */
  readonly data?: D
}

export interface WebhookCall<D = unknown> extends EventCall<D> {
  /** The sender's type of the event, such as `push`; `<plugin>/<name>` if the request has none. */
  readonly type: string
}

/** `plugin.webhook`; see `Plugin`. */
export interface DeclareWebhook {
  (name: string, definition: WebhookDefinition, handler: (call: WebhookCall) => Reply): void
  <D extends TSchema, V = Static<D>>(
    name: string,
    definition: WebhookDefinition<D>,
    handler: (call: WebhookCall<NoInfer<V>>) => Reply,
  ): void
}
