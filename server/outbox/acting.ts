import {refused, type Sender, type SenderFeature} from "../../shared/sdk/adapter.ts"
import type {Node} from "../../shared/sdk/elements.ts"
import type {CallContent, MessageRef, OutboxDraft, ReactionContent} from "./draft.ts"

/** How the parts of an earlier message are found, by its outbox id. Throws a refusal where it was not sent. */
export type PartsOf = (outbox: string) => Promise<readonly string[]>

interface Act {
  readonly id: string
  readonly channel: string
  readonly kind: OutboxDraft["kind"]
  /** As it is stored. */
  readonly content: unknown
}

type Acting = (act: Act, sender: Sender, partsOf: PartsOf, signal: AbortSignal) => Promise<readonly string[]>

/** The function of a sender, or the refusal of an endpoint that has none. */
const need = <F extends Exclude<SenderFeature, "commands"> | "call">(
  sender: Sender,
  feature: F,
): NonNullable<Sender[F]> => {
  const found = sender[feature]
  if (found !== undefined) return found
  throw refused(`the platform has no ${feature}`, {
    reason: "unsupported",
    remediation: "Ask svc endpoint show what the endpoint can do.",
  })
}

const idsOf = async (message: MessageRef, partsOf: PartsOf): Promise<readonly string[]> =>
  "platform" in message ? [message.platform] : partsOf(message.outbox)

const send: Acting = async ({id, channel, content}, sender, _, signal) =>
  (await sender.send({id, channel, content: content as readonly Node[]}, signal)).ids

const react: Acting = async ({id, channel, content}, sender, _, signal) => {
  await need(sender, "react")({id, channel, ...(content as ReactionContent)}, signal)
  return []
}

const unreact: Acting = async ({id, channel, content}, sender, partsOf, signal) => {
  const {message, emoji} = content as {message: MessageRef; emoji: string}
  const take = need(sender, "unreact")
  for (const part of (await idsOf(message, partsOf)).slice(0, 1))
    await take({id, channel, message: part, emoji}, signal)
  return []
}

const edit: Acting = async ({id, channel, content}, sender, partsOf, signal) => {
  const {message, content: nodes} = content as {message: MessageRef; content: readonly Node[]}
  const [first, ...others] = await idsOf(message, partsOf)
  if (first === undefined) return []
  await need(sender, "edit")({id, channel, message: first, content: nodes}, signal)
  // What the message had in further parts is in the first one now.
  for (const part of others) await need(sender, "delete")({id, channel, message: part}, signal)
  return [first]
}

const remove: Acting = async ({id, channel, content}, sender, partsOf, signal) => {
  const {message} = content as {message: MessageRef}
  const take = need(sender, "delete")
  for (const part of await idsOf(message, partsOf)) await take({id, channel, message: part}, signal)
  return []
}

const call: Acting = async ({content}, sender, _, signal) => {
  const {method, params} = content as CallContent
  await need(sender, "call")(method, params, signal)
  return []
}

const byKind: Readonly<Record<OutboxDraft["kind"], Acting>> = {
  message: send,
  reaction: react,
  unreact,
  edit,
  delete: remove,
  call,
}

/** Has the platform do what a row of the outbox says; resolves to the platform's ids of the message. */
export const perform: Acting = (act, sender, partsOf, signal) => byKind[act.kind](act, sender, partsOf, signal)
