import {Problem} from "../../shared/problems.ts"
import {type Element, fileTypeOf, isElement, type Node, nodesOf} from "../../shared/sdk/content/elements.ts"
import {isDeceptive} from "../../shared/sdk/files/name.ts"
import {fieldsOf, isId, readJson} from "../../shared/sdk/session/values.ts"
import {isActionButton, readButtonId} from "../database/buttons/button-id.ts"
import {uuid} from "../runtime/uuid.ts"

/** The destination of a message, and its lane: the messages of one channel are sent in order. */
export interface Address {
  readonly endpoint: string
  /** `user:<id>` if only the user is known. */
  readonly channel: string
  /** The user whose direct channel is opened when the message is sent. */
  readonly user?: string
}

/** A message on the platform: one of the bot's by its outbox id, or any by the platform's id. */
export type MessageRef = {readonly outbox: string} | {readonly platform: string}

/** A message, and the address of its conversation. */
export interface Located {
  readonly at: Address
  readonly message: MessageRef
}

/** One of the bot's messages by its outbox id, with its present content. */
export interface OwnMessage {
  readonly id: string
  readonly content: readonly Node[]
}

/** Returns the message that an outbox row shows: for an edit, the message that it changes. */
export const messageShownBy = (id: string, kind: unknown, content: unknown): MessageRef =>
  kind === "edit" ? (content as {readonly message: MessageRef}).message : {outbox: id}

/** A message or an act for a platform. Its id is the same for every attempt. */
export type OutboxDraft = {
  readonly id: string
  /** The last moment to send it, in milliseconds since 1970. */
  readonly notAfter?: number
  /** Alerts if it expires. */
  readonly important?: true
} & Address &
  (
    | {readonly kind: "message"; readonly content: readonly Node[]}
    | {readonly kind: "reaction"; readonly content: ReactionContent}
    | {readonly kind: "unreact"; readonly content: {readonly message: MessageRef; readonly emoji: string}}
    | {readonly kind: "edit"; readonly content: {readonly message: MessageRef; readonly content: readonly Node[]}}
    | {readonly kind: "delete"; readonly content: {readonly message: MessageRef}}
    | {readonly kind: "call"; readonly content: CallContent}
  )

/** Creates a message to an address. `hasUser`: is it for a user, who may press its buttons? Throws as `contentOf`. */
export const messageDraft = (
  address: Address,
  content: unknown,
  hasUser = address.user !== undefined,
): OutboxDraft & {readonly kind: "message"} => ({
  ...address,
  id: uuid(),
  kind: "message",
  content: contentOf(content, hasUser),
})

/** Returns the content of a message or an edit; empty for other acts. */
export const shownBy = (draft: OutboxDraft): readonly Node[] => {
  if (draft.kind === "message") return draft.content
  return draft.kind === "edit" ? draft.content.content : []
}

/** Returns the draft with changed content. Other acts stay as they are. */
export const withShown = async (
  draft: OutboxDraft,
  change: (nodes: readonly Node[]) => Promise<readonly Node[]>,
): Promise<OutboxDraft> => {
  if (draft.kind === "message") return {...draft, content: await change(draft.content)}
  if (draft.kind !== "edit") return draft
  return {...draft, content: {...draft.content, content: await change(draft.content.content)}}
}

/** Names the message by the platform's id. */
export interface ReactionContent {
  readonly message: string
  readonly emoji: string
}

/** A method of Satori v1 or of the platform with a side effect. */
export interface CallContent {
  readonly method: string
  /** Of the platform's own method: may it be called twice without harm? Otherwise the adapter's `idempotent` decides. */
  readonly repeats?: boolean
  readonly params: Readonly<Record<string, unknown>>
}

/** The parameters that name a channel, or else a guild: of Satori, and of platforms. */
const places = ["channel_id", "chat_id", "channel", "room_id", "guild_id", "group_id"] as const

/** Creates a call of a method. Calls of one channel, guild or account keep their order. Throws `request_invalid`. */
export const callDraft = (endpoint: string, content: CallContent): OutboxDraft => {
  const {params} = content
  requireParams(params)
  readJson("params", params, "request_invalid")
  const channel = places.map(name => params[name]).find(id => id !== undefined)
  return {id: uuid(), endpoint, channel: String(channel ?? ""), kind: "call", content}
}

/** Returns the lane of messages to a user whose channel is not known. */
export const userLane = (user: string): string => `user:${user}`

// The following functions check what plugins in JavaScript may get wrong, before any of it is stored.

/** Returns the address of a message. Throws `target_invalid`. */
export const addressOf = (target: unknown): Address => {
  const {endpoint, channel, user} = fieldsOf(target)
  if (!isId(endpoint)) throw invalidTarget("endpoint must be the name of an endpoint")
  if (isId(channel) && user === undefined) return {endpoint, channel}
  if (isId(user) && channel === undefined) return {endpoint, channel: userLane(user), user}
  throw invalidTarget("set either channel or user, to its id on the platform")
}

/** Returns the message of an act: one by the platform's id is usually in this conversation. Throws `target_invalid`. */
export const messageTargetOf = (
  target: unknown,
  here: {readonly endpoint: string; readonly channel: string | undefined},
): {readonly outbox: string} | {readonly at: Address; readonly platform: string} => {
  if (isId(target)) return {outbox: target}
  const {platform, endpoint = here.endpoint, channel = here.channel} = fieldsOf(target)
  if (!isId(platform)) throw invalidTarget("a message must be an outbox id, or {platform: its id there}")
  if (!isId(endpoint)) throw invalidTarget("endpoint must be the name of an endpoint")
  if (!isId(channel)) throw invalidTarget("channel must be the id of the message's channel, since the event has none")
  return {at: {endpoint, channel}, platform}
}

const invalidTarget = (why: string): Problem => new Problem("target_invalid", `the target is not valid: ${why}`)

/** Throws `request_invalid` for invalid parameters of a method. */
export function requireParams(params: unknown): asserts params is Readonly<Record<string, unknown>> {
  if (typeof params !== "object" || params === null || Array.isArray(params))
    throw new Problem("request_invalid", "params must be an object: the parameters of the method by name")
}

/** Throws `request_invalid` for an invalid emoji. */
export const emojiOf = (emoji: unknown): string => {
  if (isId(emoji)) return emoji
  throw new Problem("request_invalid", "emoji must be non-empty text: a character, or the platform's name for it")
}

/** How deep elements may be nested. */
const deepest = 100

/** Returns a message's content. `hasUser`: is it for a user, who may press its buttons? Throws `content_invalid`. */
export const contentOf = (content: unknown, hasUser = true): readonly Node[] => {
  if (typeof content === "string") return [content]
  const nodes = Array.isArray(content) ? content : [content]
  if (nodes.length === 0) throw invalidContent("an empty list")
  for (const node of nodes) requireNode(node, hasUser, 0)
  return nodesOf(content as Node)
}

function requireNode(node: unknown, hasUser: boolean, depth: number): asserts node is Node {
  if (typeof node === "string") return
  if (!isElement(node)) throw invalidContent(nameOf(node))
  const {type, attrs, children} = node
  if (typeof type !== "string" || type === "") throw invalidContent("an element without type")
  if (typeof attrs !== "object" || attrs === null) throw invalidContent(`<${type}> without attrs`)
  for (const [name, value] of Object.entries(attrs))
    if (!isAttribute(value)) throw invalidContent(`<${type}> with the attribute ${name}, which is ${nameOf(value)}`)
  if (fileTypeOf(node) !== undefined) requireName(String(attrs.title ?? ""))
  if (isActionButton(node)) requireButton(node, hasUser)
  if (type === "markdown") requireMarkdown(node)
  if (depth === deepest) throw invalidContent(`elements more than ${deepest} deep`)
  for (const child of children) requireNode(child, hasUser, depth + 1)
}

/** Throws `content_invalid` for a file name that shows something else than it is. */
export const requireName = (name: string): void => {
  if (isDeceptive(name))
    throw invalidContent(`a file name with control characters or with ones that change the text direction`)
}

/** The most UTF-16 code units of a Markdown text. */
export const longestMarkdown = 64 * 1024

const requireMarkdown = ({children: [text, ...others]}: Element): void => {
  if (typeof text !== "string" || others.length > 0) throw invalidContent("markdown that is not one text")
  if (text.length > longestMarkdown)
    throw invalidContent(`markdown of ${text.length} characters; at most ${longestMarkdown} are allowed`)
}

const requireButton = ({attrs}: Element, hasUser: boolean): void => {
  const made = readButtonId(String(attrs.id))
  if (made === undefined)
    throw invalidContent("a button whose id no action of this run created: create it with the action's handle")
  if (made.asked === 1 && !hasUser)
    throw invalidContent(`a button of ${made.handler}, which only the asked user may press, in a message for no user`)
}

const isAttribute = (value: unknown): boolean =>
  ["string", "boolean", "undefined"].includes(typeof value) || Number.isFinite(value)

const nameOf = (value: unknown): string => {
  if (Array.isArray(value)) return "a list in a list"
  return typeof value === "object" && value !== null ? "an object that is not an element" : String(value)
}

const invalidContent = (what: string): Problem => new Problem("content_invalid", `content contains ${what}`)
