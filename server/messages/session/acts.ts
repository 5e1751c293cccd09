import {Problem} from "../../../shared/problems.ts"
import type {Feature, FileRef} from "../../../shared/sdk/adapter/sender.ts"
import type {Login} from "../../../shared/sdk/content/satori.ts"
import {kindOf} from "../../../shared/sdk/content/satori-methods.ts"
import type {Expiry, MessageTarget, Session} from "../../../shared/sdk/session/session.ts"
import {conversationOf, type InboxEvent} from "../../inbox/intake/handling.ts"
import {
  type Address,
  callDraft,
  contentOf,
  emojiOf,
  type MessageRef,
  messageTargetOf,
  type OutboxDraft,
} from "../../outbox/draft.ts"
import type {Source} from "../../runtime/outgoing/bounded-stream.ts"
import {uuid} from "../../runtime/uuid.ts"

/** The endpoint functions that sessions use; passed in by the composition root. */
export interface EndpointActs {
  /** Throws `endpoint_unknown`, `unsupported`. */
  requireTarget(address: Address): void
  /** Throws `endpoint_unknown`, `unsupported`. */
  requireFeature(endpoint: string, feature: Feature): void
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

export interface ActOptions {
  readonly stored: InboxEvent
  readonly endpoints: EndpointActs
  /** Returns where an outbox message went, by its id; also for the session's own messages. */
  readonly find: (outbox: string) => Promise<Address | undefined>
  /** Queues an act, which is stored with the handler's mark. */
  readonly queue: (draft: OutboxDraft, expiry?: Expiry) => Promise<string>
}

/** A message and its conversation. */
interface Found {
  readonly at: Address
  readonly message: MessageRef
}

export type Acts = Pick<Session, "edit" | "delete" | "unreact" | "call">

/** The acts of a session. Each is a row of the outbox, in the lane of the message that it is about. */
export const actsOf = ({stored, endpoints, find, queue}: ActOptions): Acts => {
  const locate = async (target: MessageTarget): Promise<Found> => {
    const read = messageTargetOf(target, {endpoint: stored.endpoint, channel: conversationOf(stored)?.channel})
    if ("at" in read) return {at: read.at, message: {platform: read.platform}}
    const at = await find(read.outbox)
    if (at === undefined) throw new Problem("outbox_unknown", `there is no outbox message ${read.outbox}`)
    return {at, message: read}
  }
  const act = async (
    target: MessageTarget,
    feature: Feature,
    expiry: Expiry | undefined,
    draftOf: (found: Found) => OutboxDraft,
  ) => {
    const found = await locate(target)
    endpoints.requireFeature(found.at.endpoint, feature)
    return queue(draftOf(found), expiry)
  }
  return {
    edit: (target, content, expiry) =>
      act(target, "edit", expiry, ({at, message}) => ({
        ...at,
        id: uuid(),
        kind: "edit",
        content: {message, content: contentOf(content, stored.event.user !== undefined)},
      })),
    delete: (target, expiry) =>
      act(target, "delete", expiry, ({at, message}) => ({...at, id: uuid(), kind: "delete", content: {message}})),
    unreact: (target, emoji, expiry) =>
      act(target, "unreact", expiry, ({at, message}) => ({
        ...at,
        id: uuid(),
        kind: "unreact",
        content: {message, emoji: emojiOf(emoji)},
      })),
    call: async (method, params, endpoint = stored.endpoint, expiry) => {
      endpoints.requireFeature(endpoint, method as Feature)
      if (kindOf(method)?.is === "read")
        throw new Problem(
          "request_invalid",
          `${method} only reads: use plugin.ask, which returns the platform's response`,
        )
      return queue(callDraft(endpoint, {method, params}), expiry)
    },
  }
}
