import {type Element, h, isElement, type Node, type Session, type SessionFile, textOf} from "svc-runtime"

const fileTypes = ["img", "file", "audio", "video"]

/** Returns the platform's id of the message that this one quotes. */
export const quotedBy = ({elements}: Session): string | undefined => {
  const quote = elements.find((node): node is Element => isElement(node) && node.type === "quote")
  return quote?.attrs.id === undefined ? undefined : String(quote.attrs.id)
}

/** Returns the author's name for readers in the other channels. */
export const authorOf = ({event, user}: Session): string =>
  (event.member?.nick ?? user?.name ?? user?.id ?? "somebody").replaceAll(/\s+/g, " ").slice(0, 60)

/**
 * Returns the content for another platform: without the quote, and with mentions as the names that they show, because a
 * user of one platform does not exist on the other. `stored` replaces its files, in their order.
 */
export const carried = (nodes: readonly Node[], stored: readonly Node[]): readonly Node[] => {
  const files = [...stored]
  const carry = (node: Node): readonly Node[] => {
    if (!isElement(node)) return [node]
    if (node.type === "quote") return []
    if (node.type === "at" || node.type === "sharp") return [textOf([node])]
    if (fileTypes.includes(node.type)) return [files.shift() ?? `[${node.attrs.title ?? node.type}]`]
    return [{...node, children: node.children.flatMap(carry)}]
  }
  return nodes.flatMap(carry)
}

/** Reads a file of a message into memory, because the Host stores it before the message that shows it. */
export const readFile = async ({element, name, type, read}: SessionFile, limit: number): Promise<Node> => {
  const bytes = new Uint8Array(await new Response(await read({limit})).arrayBuffer())
  return h(element.type, {src: bytes, title: name, ...(type === undefined ? {} : {type})})
}

/** Puts the author in front of the content, in bold if the platform supports it. */
export const signed = (author: string, content: readonly Node[]): readonly Node[] => [h("b", author), ": ", ...content]
