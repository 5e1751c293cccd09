import {v7 as uuid} from "uuid"
import {Problem} from "../../shared/problems.ts"
import {type Element, isElement, type Node, nodesOf} from "../../shared/sdk/elements.ts"
import {fieldsOf, isId, readJson} from "../../shared/sdk/values.ts"
import {isActionButton, readButtonId} from "../database/buttons/button-id.ts"

/** Where a message goes, and its lane: the messages of one channel are sent in order. */
export interface Address {
  readonly endpoint: string
  /** `user:<id>` where only the user is known. */
  readonly channel: string
  /** Whose direct channel the endpoint is asked for when the message is sent. */
  readonly user?: string
}

/** A message of the platform: the bot's own by its outbox id, any by the platform's id. */
export type MessageRef = {readonly outbox: string} | {readonly platform: string}

/** A message or an act that is to reach a platform; its id is the same for every attempt. */
export type OutboxDraft = {readonly id: string} & Address &
  (
    | {readonly kind: "message"; readonly content: readonly Node[]}
    | {readonly kind: "reaction"; readonly content: ReactionContent}
    | {readonly kind: "unreact"; readonly content: {readonly message: MessageRef; readonly emoji: string}}
    | {readonly kind: "edit"; readonly content: {readonly message: MessageRef; readonly content: readonly Node[]}}
    | {readonly kind: "delete"; readonly content: {readonly message: MessageRef}}
    | {readonly kind: "call"; readonly content: CallContent}
  )

/** A new message to an address. `hasUser`: is it for a user, who may press its buttons? Throws `content_invalid`. */
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

/** What a message or an edit shows; nothing for other acts. */
export const shownBy = (draft: OutboxDraft): readonly Node[] => {
  if (draft.kind === "message") return draft.content
  return draft.kind === "edit" ? draft.content.content : []
}

/** The draft, with what it shows changed; other acts stay as they are. */
export const withShown = async (
  draft: OutboxDraft,
  change: (nodes: readonly Node[]) => Promise<readonly Node[]>,
): Promise<OutboxDraft> => {
  if (draft.kind === "message") return {...draft, content: await change(draft.content)}
  if (draft.kind !== "edit") return draft
  return {...draft, content: {...draft.content, content: await change(draft.content.content)}}
}

/** By the platform's id of the message. */
export interface ReactionContent {
  readonly message: string
  readonly emoji: string
}

/** A method of Satori v1 with a side effect. */
export interface CallContent {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

/** A call of a method; those of one channel, guild or account keep their order. Throws `request_invalid`. */
export const callDraft = (endpoint: string, {method, params}: CallContent): OutboxDraft => {
  requireParams(params)
  readJson("params", params, "request_invalid")
  const channel = String(params.channel_id ?? params.guild_id ?? "")
  return {id: uuid(), endpoint, channel, kind: "call", content: {method, params}}
}

/** The lane of messages to a user whose channel is not known. */
export const userLane = (user: string): string => `user:${user}`

// What follows reads what plugins in JavaScript may get wrong, before any of it is stored.

/** Where a message goes. Throws `target_invalid`. */
export const addressOf = (target: unknown): Address => {
  const {endpoint, channel, user} = fieldsOf(target)
  if (!isId(endpoint)) throw invalidTarget("endpoint is the name of an endpoint")
  if (isId(channel) && user === undefined) return {endpoint, channel}
  if (isId(user) && channel === undefined) return {endpoint, channel: userLane(user), user}
  throw invalidTarget("give channel or user: one of them, with its id on the platform")
}

/**
 * The message that an act is about; one by the platform's id is in this conversation unless it says otherwise. Throws
 * `target_invalid`.
 */
export const messageTargetOf = (
  target: unknown,
  here: {readonly endpoint: string; readonly channel: string | undefined},
): {readonly outbox: string} | {readonly at: Address; readonly platform: string} => {
  if (isId(target)) return {outbox: target}
  const {platform, endpoint = here.endpoint, channel = here.channel} = fieldsOf(target)
  if (!isId(platform)) throw invalidTarget("a message is named by its outbox id, or by {platform: its id there}")
  if (!isId(endpoint)) throw invalidTarget("endpoint is the name of an endpoint")
  if (!isId(channel)) throw invalidTarget("channel is the id of the message's channel, which the event has not")
  return {at: {endpoint, channel}, platform}
}

const invalidTarget = (why: string): Problem => new Problem("target_invalid", `the target is not valid: ${why}`)

/** Throws `request_invalid` for parameters of a method that are none. */
export function requireParams(params: unknown): asserts params is Readonly<Record<string, unknown>> {
  if (typeof params !== "object" || params === null || Array.isArray(params))
    throw new Problem("request_invalid", "params is an object: the parameters of the method by name")
}

/** Throws `request_invalid`. */
export const emojiOf = (emoji: unknown): string => {
  if (isId(emoji)) return emoji
  throw new Problem("request_invalid", "emoji is text that is not empty: a character, or what the platform calls it")
}

/** Elements stand in each other so deep. */
const deepest = 100

/** What a message is to say; `hasUser`: is it for a user, who may press its buttons? Throws `content_invalid`, which says what and where. */
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
  if (isActionButton(node)) requireButton(node, hasUser)
  if (depth === deepest) throw invalidContent(`elements more than ${deepest} deep`)
  for (const child of children) requireNode(child, hasUser, depth + 1)
}

const requireButton = ({attrs}: Element, hasUser: boolean): void => {
  const made = readButtonId(String(attrs.id))
  if (made === undefined)
    throw invalidContent("a button whose id no action of this run of the Host made: make it with the action's handle")
  if (made.asked === 1 && !hasUser)
    throw invalidContent(`a button of ${made.handler}, which only who is asked may press, in a message to nobody`)
}

const isAttribute = (value: unknown): boolean =>
  ["string", "boolean", "undefined"].includes(typeof value) || Number.isFinite(value)

const nameOf = (value: unknown): string => {
  if (Array.isArray(value)) return "a list in a list"
  return typeof value === "object" && value !== null ? "an object that is no element" : String(value)
}

const invalidContent = (what: string): Problem => new Problem("content_invalid", `content holds ${what}`)
