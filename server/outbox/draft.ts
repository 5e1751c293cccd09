import {v7 as uuid} from "uuid"
import {Problem} from "../../shared/problems.ts"
import type {Node} from "../../shared/sdk/elements.ts"
import type {Target} from "../../shared/sdk/session.ts"

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

/** A call of a method; those of one channel, guild or account keep their order. */
export const callDraft = (endpoint: string, {method, params}: CallContent): OutboxDraft => {
  const channel = String(params.channel_id ?? params.guild_id ?? "")
  return {id: uuid(), endpoint, channel, kind: "call", content: {method, params}}
}

/** The lane of messages to a user whose channel is not known. */
export const userLane = (user: string): string => `user:${user}`

/** Reads a target, which plugins in JavaScript may get wrong. Throws `target_invalid`. */
export const addressOf = (target: Target): Address => {
  const {endpoint, channel, user} = target as {endpoint?: unknown; channel?: unknown; user?: unknown}
  if (!isText(endpoint)) throw invalid("endpoint is the name of an endpoint")
  if (isText(channel) && user === undefined) return {endpoint, channel}
  if (isText(user) && channel === undefined) return {endpoint, channel: userLane(user), user}
  throw invalid("give channel or user: one of them, with its id on the platform")
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== ""

const invalid = (why: string): Problem => new Problem("target_invalid", `the target of a message is not valid: ${why}`)
