import {isRefusal, refused} from "../../shared/sdk/adapter/refusal.ts"
import type {Sender, SenderFeature} from "../../shared/sdk/adapter/sender.ts"
import {isElement, type Node, textOf} from "../../shared/sdk/elements.ts"
import type {CallContent, MessageRef, OutboxDraft, ReactionContent} from "./draft.ts"

/** How the parts of an earlier message are found, by its outbox id. Throws a refusal where it was not sent. */
export type PartsOf = (outbox: string) => Promise<readonly string[]>

/** What of an act is done: where another attempt goes on. */
export interface Progress {
  readonly done: number
  /** The platform's ids so far. */
  readonly ids: readonly string[]
  /** By which `limits.text` the first attempt has split the message, which holds for it to its end. */
  readonly limit?: number | undefined
}

interface Act {
  readonly id: string
  readonly channel: string
  readonly kind: OutboxDraft["kind"]
  /** As it is stored. */
  readonly content: unknown
  readonly progress: Progress
  /** Has an earlier attempt of this call begun? */
  readonly isRepeated: boolean
}

/** What one call of the platform resolved to: the ids that it adds. */
type Step = (sender: Sender, signal: AbortSignal) => Promise<readonly string[]>

type Planning = (act: Act, partsOf: PartsOf) => Promise<readonly Step[]>

/** The act and how far it is now, of how many calls. */
export interface Performed {
  readonly done: number
  readonly of: number
  readonly ids: readonly string[]
  /** What the message of the outbox that is edited has now. */
  readonly edited?: {readonly outbox: string; readonly ids: readonly string[]}
}

/** The function of a sender, or the refusal of an endpoint that has none. */
const need = <F extends Exclude<SenderFeature, "commands" | "upload" | "download"> | "call">(
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

/** The content in parts that the platform takes. Few messages are long: what splits them is loaded then. */
const split = async (content: readonly Node[], limit: number | undefined): Promise<readonly (readonly Node[])[]> =>
  limit === undefined || textOf(content).length <= limit
    ? [content]
    : (await import("./split.ts")).splitContent(content, limit)

/** The id of a part, from 0: the first has that of the row. */
const partId = (id: string, part: number): string => (part === 0 ? id : `${id}.${part + 1}`)

/** What a call of the platform tells of every act. */
const told = ({id, channel, isRepeated}: Act) => ({id, channel, ...(isRepeated ? {repeated: true} : {})})

const sending =
  (act: Act, content: readonly Node[], part: number): Step =>
  async (sender, signal) =>
    idsIn(await sender.send({...told(act), id: partId(act.id, part), content}, signal))

/** The platform has the message, whatever an adapter in JavaScript makes of its ids: it is not sent again. */
const idsIn = (sent: {readonly ids: readonly string[]} | undefined): readonly string[] =>
  Array.isArray(sent?.ids) ? sent.ids.map(String) : []

/** A quote of what the bot has sent names it by outbox id. One that was not sent is quoted by nobody: the message goes without. */
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

const react: Planning = async act => [
  async (sender, signal) => {
    await need(sender, "react")({...told(act), ...(act.content as ReactionContent)}, signal)
    return []
  },
]

const unreact: Planning = async (act, partsOf) => {
  const {message, emoji} = act.content as {message: MessageRef; emoji: string}
  return (await idsOf(message, partsOf)).slice(0, 1).map(
    (part): Step =>
      async (sender, signal) => {
        await need(sender, "unreact")({...told(act), message: part, emoji}, signal)
        return []
      },
  )
}

/** What becomes of the parts of a message that is edited. */
export type PartChange =
  | {readonly do: "edit"; readonly message: string; readonly content: readonly Node[]}
  | {readonly do: "send"; readonly content: readonly Node[]}
  | {readonly do: "delete"; readonly message: string}

/** From the ids of a message's parts and its new parts to what is done, in this order: edits, then what is new or too much. */
export const changesOf = (old: readonly string[], parts: readonly (readonly Node[])[]): readonly PartChange[] => [
  ...parts.map((content, index): PartChange => {
    const message = old[index]
    return message === undefined ? {do: "send", content} : {do: "edit", message, content}
  }),
  ...old.slice(parts.length).map((message): PartChange => ({do: "delete", message})),
]

const deleting =
  (act: Act, message: string): Step =>
  async (sender, signal) => {
    await need(sender, "delete")({...told(act), message}, signal)
    return []
  }

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

/** What a method makes has an id, which is kept like that of a message. */
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

/** Has the platform do the next of what a row of the outbox says: one call, and `called` is called once it was made. */
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
  // What comes before the call may have outlived the attempt.
  signal.throwIfAborted()
  const calling = step?.(sender, signal)
  called()
  const ids = [...act.progress.ids, ...((await calling) ?? [])]
  const done = act.progress.done + 1
  if (edited === undefined) return {done, of: steps.length, ids}
  // Until the last call, a part that is to be deleted may be there.
  const now = done < steps.length ? [...ids, ...old.slice(ids.length)] : ids
  return {done, of: steps.length, ids, edited: {outbox: edited, ids: now}}
}

const editedBy = ({kind, content}: Act): string | undefined => {
  if (kind !== "edit") return undefined
  const {message} = content as {message: MessageRef}
  return "outbox" in message ? message.outbox : undefined
}
