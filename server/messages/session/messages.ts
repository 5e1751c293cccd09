import {Problem} from "../../../shared/problems.ts"
import type {Feature} from "../../../shared/sdk/adapter/sender.ts"
import {type Content, h, isElement} from "../../../shared/sdk/content/elements.ts"
import type {MethodParameters} from "../../../shared/sdk/platform/methods.ts"
import type {Expiry, MessageTarget, Session, Target} from "../../../shared/sdk/session/session.ts"
import {fieldsOf, isId} from "../../../shared/sdk/session/values.ts"
import {readPress} from "../../database/buttons/button-id.ts"
import {conversationOf, type InboxEvent} from "../../inbox/intake/handling.ts"
import {withExpiry} from "../../outbox/age.ts"
import {
  type Address,
  addressOf,
  callDraft,
  contentOf,
  emojiOf,
  type Located,
  messageDraft,
  messageShownBy,
  messageTargetOf,
  type OutboxDraft,
} from "../../outbox/draft.ts"
import {uuid} from "../../runtime/uuid.ts"
import type {OpenWork} from "./open-work.ts"
import type {SessionOptions} from "./options.ts"

/** Reads `[target,] method, params, [expiry]`. Throws `target_invalid`. */
const readCall = (given: readonly unknown[], here: string) => {
  const [first, ...rest] = typeof given[0] === "string" ? [{endpoint: here}, ...given] : given
  const {endpoint} = fieldsOf(first)
  if (!isId(endpoint)) throw new Problem("target_invalid", "call() needs a method, or {endpoint} and a method")
  const [method, params, expiry] = rest
  return {
    to: endpoint,
    method: String(method),
    params: params as MethodParameters,
    expiry: expiry as Expiry | undefined,
  }
}

type Members = Pick<
  Session,
  "send" | "sendNow" | "reply" | "react" | "typing" | "edit" | "update" | "delete" | "unreact" | "call"
>

type SendArguments = readonly [first: Content | Target, second?: Content | Expiry, third?: Expiry]

interface Sent {
  readonly content: Content
  readonly expiry: Expiry | undefined
  /** Missing for this conversation. */
  readonly to?: Target
}

/** Reads the arguments of `send`, also those of plain JavaScript. Throws `target_invalid` for a target that is second. */
const readSend = ([first, second, third]: SendArguments): Sent => {
  const isContent = typeof second === "string" || Array.isArray(second) || isElement(second)
  if (isContent || isTarget(first)) return {to: first as Target, content: second as Content, expiry: third}
  if (isTarget(second)) throw new Problem("target_invalid", "the target comes first: send(target, content)")
  return {content: first as Content, expiry: second as Expiry | undefined}
}

const isTarget = (value: unknown): boolean => fieldsOf(value).endpoint !== undefined

/** The messages and acts of a session. Each act is a row of the outbox, in the lane of the message that it is about. */
/** Returns where a session writes. A user without a channel has a direct one, if the endpoint opens those. */
export const addressHere = (
  stored: InboxEvent,
  endpoints: Pick<SessionOptions["endpoints"], "hasFeature">,
): Address | undefined => {
  const {endpoint, event} = stored
  return event.channel === undefined && event.user !== undefined && endpoints.hasFeature(endpoint, "open")
    ? addressOf({endpoint, user: event.user.id})
    : conversationOf(stored)
}

export const sessionMessages = ({stored, attempt, plugin, endpoints, now}: SessionOptions, work: OpenWork): Members => {
  const {event, endpoint} = stored
  let early = 0
  const limited = (draft: OutboxDraft, expiry?: Expiry): OutboxDraft =>
    withExpiry(draft, expiry, attempt.maxAge === undefined ? undefined : now() + attempt.maxAge)
  const queue = async (draft: OutboxDraft, expiry?: Expiry): Promise<string> => work.queue(limited(draft, expiry))
  const messageOf = (sent: Sent): OutboxDraft => {
    const {content, expiry} = sent
    const address = "to" in sent ? addressOf(sent.to) : addressHere(stored, endpoints)
    if (address === undefined)
      throw new Problem("target_invalid", "this event belongs to no conversation, so the message needs a target")
    if ("to" in sent) endpoints.requireTarget(address)
    return limited(messageDraft(address, content, event.user !== undefined || address.user !== undefined), expiry)
  }
  const send = async (...given: SendArguments): Promise<string> => work.queue(messageOf(readSend(given)))
  const locate = async (target: MessageTarget): Promise<Located> => {
    const read = messageTargetOf(target, {endpoint, channel: conversationOf(stored)?.channel})
    if ("at" in read) return {at: read.at, message: {platform: read.platform}}
    const queued = work.sends.find(draft => draft.id === read.outbox)
    if (queued !== undefined) return {at: queued, message: messageShownBy(queued.id, queued.kind, queued.content)}
    const sent = await attempt.sent(read.outbox)
    if (sent === undefined) throw new Problem("outbox_unknown", `there is no outbox message ${read.outbox}`)
    return sent
  }
  /** Finds the message whose button was pressed. */
  const pressed = async (): Promise<MessageTarget> => {
    const message = readPress(event.button?.id ?? (await attempt.question())?.id ?? "")?.message
    if (message !== undefined) return message
    if (event.button !== undefined && event.message !== undefined) return {platform: event.message.id}
    throw new Problem("event_invalid", "this event presses no button, so there is no message to update")
  }
  const act = async (
    target: MessageTarget,
    feature: Feature,
    expiry: Expiry | undefined,
    draftOf: (found: Located) => OutboxDraft,
  ) => {
    work.requireOpen()
    const found = await locate(target)
    endpoints.requireFeature(found.at.endpoint, feature)
    return queue(draftOf(found), expiry)
  }
  const edit: Session["edit"] = (target, content, expiry) =>
    act(target, "edit", expiry, ({at, message}) => ({
      ...at,
      id: uuid(),
      kind: "edit",
      content: {message, content: contentOf(content, event.user !== undefined)},
    }))
  return {
    send,
    sendNow: async (...given: SendArguments) => {
      work.requireOpen()
      const ordinal = early++
      const draft = await work.queued.store(messageOf(readSend(given)))
      return work.give(await attempt.sendNow(draft, ordinal))
    },
    reply: async (content, expiry) => {
      const quoted = event.message?.id
      return send(quoted === undefined ? content : [h("quote", {id: quoted}), ...contentOf(content)], expiry)
    },
    react: async (emoji, expiry) => {
      const message = event.message?.id
      const channel = event.channel?.id
      if (message === undefined || channel === undefined)
        throw new Problem("event_invalid", "there is no message to react to")
      endpoints.requireFeature(endpoint, "react")
      const content = {message, emoji: emojiOf(emoji)}
      return queue({id: uuid(), kind: "reaction", endpoint, channel, content}, expiry)
    },
    typing: () => {
      work.requireOpen()
      const channel = event.channel?.id
      if (channel !== undefined) endpoints.typing(endpoint, channel)
    },
    edit,
    update: async (content, expiry) => {
      work.requireOpen()
      return edit(await pressed(), content, expiry)
    },
    delete: (target, expiry) =>
      act(target, "delete", expiry, ({at, message}) => ({...at, id: uuid(), kind: "delete", content: {message}})),
    unreact: (target, emoji, expiry) =>
      act(target, "unreact", expiry, ({at, message}) => ({
        ...at,
        id: uuid(),
        kind: "unreact",
        content: {message, emoji: emojiOf(emoji)},
      })),
    call: async (...given: readonly unknown[]) => {
      work.requireOpen()
      const {to, method, params, expiry} = readCall(given, endpoint)
      const {acts, repeats} = endpoints.requireMethod(to, method, plugin)
      if (!acts) throw new Problem("request_invalid", `${method} only reads: use plugin.ask, which returns the answer`)
      return queue(callDraft(to, {method, params, ...(repeats === undefined ? {} : {repeats})}), expiry)
    },
  }
}
