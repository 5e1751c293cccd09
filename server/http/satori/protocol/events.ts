import type {FileRef} from "../../../../shared/sdk/adapter/sender.ts"
import {type Element, isElement, type Node, renderContent} from "../../../../shared/sdk/content/elements.ts"
import {parseContent} from "../../../../shared/sdk/content/parse-content.ts"
import type {Reader} from "../../../database/database.ts"
import {readReceived} from "../../../inbox/look-ups.ts"
import {describeFile, fileElements} from "../../../messages/files/describe.ts"
import {eventLink} from "./links.ts"
import type {KnownLogin} from "./protocol.ts"

const mayShowFiles = /<(img|audio|video|file)[\s/>]/i

/** An address that an application can open, or that is already a link. */
const isOpenable = /^(https?|data|internal):/i

/**
 * Returns the content of a received message for applications. A file that only the endpoint's adapter can open gets an
 * internal link, which the Host's proxy opens. Content without such files stays unchanged.
 */
export const withFileLinks = (content: string, login: KnownLogin, seq: number): string => {
  if (!login.downloads || !mayShowFiles.test(content)) return content
  const nodes = parseContent(content)
  const links = new Map<Element, string>()
  for (const [number, element] of fileElements(nodes).entries()) {
    const {src, name} = describeFile(element)
    if (src === undefined || !isOpenable.test(src)) links.set(element, eventLink(login, seq, number, name))
  }
  return links.size === 0 ? content : renderContent(linked(nodes, links))
}

const linked = (nodes: readonly Node[], links: ReadonlyMap<Element, string>): readonly Node[] =>
  nodes.map(node => {
    if (!isElement(node)) return node
    const src = links.get(node)
    const attrs = src === undefined ? node.attrs : {...node.attrs, src}
    return {type: node.type, attrs, children: linked(node.children, links)}
  })

/** Returns a file of an event that this endpoint received, by its number in the message; undefined without one. */
export const fileOfEvent = async (
  database: Reader,
  endpoint: string,
  {seq, number}: {readonly seq: number; readonly number: number},
): Promise<FileRef | undefined> => {
  const received = await readReceived(database, endpoint, seq)
  if (received === undefined) return undefined
  const {channel, message} = received.event
  const element = fileElements(parseContent(message?.content ?? ""))[number]
  if (element === undefined) return undefined
  const {src} = describeFile(element)
  return {
    element,
    ...(src === undefined ? {} : {src}),
    ...(channel === undefined ? {} : {channel: channel.id}),
    ...(message === undefined ? {} : {message: message.id}),
  }
}
