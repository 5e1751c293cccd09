import {isRefusal, refused} from "../../shared/sdk/adapter/refusal.ts"
import type {Sender, SenderFeature} from "../../shared/sdk/adapter/sender.ts"
import {isElement, type Node} from "../../shared/sdk/content/elements.ts"
import {textOf} from "../../shared/sdk/content/text.ts"
import type {CallContent, MessageRef, OutboxDraft, ReactionContent} from "./draft.ts"

/** Finds the parts of an earlier message by its outbox id. Throws a refusal if it was not sent. */
export type PartsOf = (outbox: string) => Promise<readonly string[]>

/** How much of an act is done: another attempt continues there. */
export interface Progress {
  readonly done: number
  /** The platform's ids so far. */
  readonly ids: readonly string[]
  /** The `limits.text` by which the first attempt split the message. It stays the same until the end. */
  readonly limit?: number | undefined
}

interface Act {
  readonly id: string
  readonly channel: string
  readonly kind: OutboxDraft["kind"]
  /** As stored. */
  readonly content: unknown
  readonly progress: Progress
  /** Has an earlier attempt of this call begun? */
  readonly isRepeated: boolean
}

/** One call of the platform. Resolves to the ids that it adds. */
type Step = (sender: Sender, signal: AbortSignal) => Promise<readonly string[]>

type Planning = (act: Act, partsOf: PartsOf) => Promise<readonly Step[]>

/** The act's progress, and its number of calls. */
export interface Performed {
  readonly done: number
  readonly of: number
  readonly ids: readonly string[]
  /** The new parts of the edited outbox message. */
  readonly edited?: {readonly outbox: string; readonly ids: readonly string[]}
}

/** Returns the function of a sender. Throws a refusal if the endpoint has none. */
const need = <F extends Exclude<SenderFeature, "commands" | "upload" | "download"> | "call">(
  sender: Sender,
  feature: F,
): NonNullable<Sender[F]> => {
  const found = sender[feature]
  if (found !== undefined) return found
  throw refused(`the platform does not support ${feature}`, {
    reason: "unsupported",
    remediation: "Run svc endpoint show to see what the endpoint can do.",
  })
}

const idsOf = async (message: MessageRef, partsOf: PartsOf): Promise<readonly string[]> =>
  "platform" in message ? [message.platform] : partsOf(message.outbox)

/** Splits the content into parts that the platform accepts. The code is loaded late: few messages are long. */
const split = async (content: readonly Node[], limit: number | undefined): Promise<readonly (readonly Node[])[]> =>
  limit === undefined || textOf(content).length <= limit
    ? [content]
    : (await import("./split/split.ts")).splitContent(content, limit)

/** Returns the id of a part, from 0. The first part has the id of the row. */
const partId = (id: string, part: number): string => (part === 0 ? id : `${id}.${part + 1}`)

/** The properties of an act that every call of the platform receives. */
const told = ({id, channel, isRepeated}: Act) => ({id, channel, ...(isRepeated ? {repeated: true} : {})})

const sending =
  (act: Act, content: readonly Node[], part: number): Step =>
  async (sender, signal) =>
    idsIn(await sender.send({...told(act), id: partId(act.id, part), content}, signal))

/** The platform has the message, even if an adapter in JavaScript returns invalid ids: it is not sent again. */
const idsIn = (sent: {readonly ids: readonly string[]} | undefined): readonly string[] =>
  Array.isArray(sent?.ids) ? sent.ids.map(String) : []

/** Replaces the outbox id in a quote of the bot's own message. Removes a quote of a message that was not sent. */
const withQuotes = async (content: readonly Node[], partsOf: PartsOf): Promise<readonly Node[]> => {
  const isOwn = (node: Node) => isElement(node) && node.type === "quote" && node.attrs.outbox !== undefined
  if (!content.some(isOwn)) return content
  const quoted = content.map(async node => {
    if (!isElement(node) || !isOwn(node)) return [node]
    const {outbox, ...attrs} = node.attrs
    const [id] = await partsOf(String(outbox)).catch(error => {
      if (isRefusal(error)) return []
      throw error
    })
    return id === undefined ? [] : [{...node, attrs: {...attrs, id}}]
  })
  return (await Promise.all(quoted)).flat()
}

const send: Planning = async (act, partsOf) => {
  const content = await withQuotes(act.content as readonly Node[], partsOf)
  const parts = await split(content, act.progress.limit)
  return parts.map((content, part) => sending(act, content, part))
}

/** A step that adds no ids. */
const doing =
  (work: (...on: Parameters<Step>) => Promise<unknown>): Step =>
  async (sender, signal) => {
    await work(sender, signal)
    return []
  }

const react: Planning = async act => [
  doing((sender, signal) => need(sender, "react")({...told(act), ...(act.content as ReactionContent)}, signal)),
]

const unreact: Planning = async (act, partsOf) => {
  const {message, emoji} = act.content as {message: MessageRef; emoji: string}
  const [first] = await idsOf(message, partsOf)
  if (first === undefined) return []
  return [doing((sender, signal) => need(sender, "unreact")({...told(act), message: first, emoji}, signal))]
}

export type PartChange =
  | {readonly do: "edit"; readonly message: string; readonly content: readonly Node[]}
  | {readonly do: "send"; readonly content: readonly Node[]}
  | {readonly do: "delete"; readonly message: string}

/** Returns the changes from a message's ids to its new parts: edits, then additional or surplus parts. */
export const changesOf = (old: readonly string[], parts: readonly (readonly Node[])[]): readonly PartChange[] => [
  ...parts.map((content, index): PartChange => {
    const message = old[index]
    return message === undefined ? {do: "send", content} : {do: "edit", message, content}
  }),
  ...old.slice(parts.length).map((message): PartChange => ({do: "delete", message})),
]

const deleting = (act: Act, message: string): Step =>
  doing((sender, signal) => need(sender, "delete")({...told(act), message}, signal))

const editing =
  (act: Act, message: string, content: readonly Node[]): Step =>
  async (sender, signal) => {
    await need(sender, "edit")({...told(act), message, content}, signal)
    return [message]
  }

const edit: Planning = async (act, partsOf) => {
  const {message, content} = act.content as {message: MessageRef; content: readonly Node[]}
  const old = await idsOf(message, partsOf)
  if (old.length === 0) return []
  return changesOf(old, await split(await withQuotes(content, partsOf), act.progress.limit)).map((change, part) => {
    if (change.do === "delete") return deleting(act, change.message)
    return change.do === "send" ? sending(act, change.content, part) : editing(act, change.message, change.content)
  })
}

const remove: Planning = async (act, partsOf) => {
  const {message} = act.content as {message: MessageRef}
  return (await idsOf(message, partsOf)).map(part => deleting(act, part))
}

/** Keeps the id of what a method creates, like that of a message. */
const call: Planning = async ({id: row, content}) => [
  async (sender, signal) => {
    const {method, params} = content as CallContent
    const made = await need(sender, "call")(method, params, signal, row)
    const id = typeof made === "object" && made !== null && "id" in made ? made.id : undefined
    return typeof id === "string" ? [id] : []
  },
]

const byKind: Readonly<Record<OutboxDraft["kind"], Planning>> = {
  message: send,
  reaction: react,
  unreact,
  edit,
  delete: remove,
  call,
}

/** Makes the platform do the next step of an outbox row: one call. Calls `called` once the call was made. */
export const perform = async (
  act: Act,
  sender: Sender,
  partsOf: PartsOf,
  signal: AbortSignal,
  called: () => void,
): Promise<Performed> => {
  const edited = editedBy(act)
  let old: readonly string[] = []
  const steps = await byKind[act.kind](act, async outbox => {
    const found = await partsOf(outbox)
    if (outbox === edited) old = found
    return found
  })
  const step = steps[act.progress.done]
  // The steps before the call may have exceeded the attempt's time.
  signal.throwIfAborted()
  const calling = step?.(sender, signal)
  called()
  const ids = [...act.progress.ids, ...((await calling) ?? [])]
  const done = act.progress.done + 1
  if (edited === undefined) return {done, of: steps.length, ids}
  // Until the last call, a part that is to be deleted may still exist.
  const now = done < steps.length ? [...ids, ...old.slice(ids.length)] : ids
  return {done, of: steps.length, ids, edited: {outbox: edited, ids: now}}
}

const editedBy = ({kind, content}: Act): string | undefined => {
  if (kind !== "edit") return undefined
  const {message} = content as {message: MessageRef}
  return "outbox" in message ? message.outbox : undefined
}
