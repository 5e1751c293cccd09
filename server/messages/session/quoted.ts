import {isElement, type Node} from "../../../shared/sdk/content/elements.ts"
import type {User} from "../../../shared/sdk/content/satori.ts"
import {writtenText} from "../../../shared/sdk/content/text.ts"
import type {Quoted} from "../../../shared/sdk/session/session.ts"
import type {SessionOptions} from "./options.ts"

/** Returns the message that the event's message answers; undefined if it answers none. */
export const readQuoted = async (
  {stored, attempt}: Pick<SessionOptions, "stored" | "attempt">,
  elements: readonly Node[],
  filesOf: (elements: readonly Node[], message: string) => Quoted["files"],
): Promise<Quoted | undefined> => {
  const quote = elements.filter(isElement).find(({type}) => type === "quote")
  const id = quote?.attrs.id
  if (quote === undefined || typeof id !== "string") return undefined
  const own = await attempt.own(id)
  const told = quote.children.filter(child => !isElement(child) || child.type !== "author")
  const nodes = told.length === 0 ? (own?.content ?? []) : told
  return {
    id,
    outbox: own?.id,
    user: own === undefined ? authorIn(quote.children) : stored.event.login.user,
    elements: nodes,
    text: writtenText(nodes),
    files: filesOf(nodes, id),
  }
}

const authorIn = (nodes: readonly Node[]): User | undefined => {
  const {id, name} = nodes.filter(isElement).find(({type}) => type === "author")?.attrs ?? {}
  return typeof id === "string" ? {id, ...(typeof name === "string" ? {name} : {})} : undefined
}
