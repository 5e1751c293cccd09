import {isElement, lower, type Node, renderContent} from "../../../shared/sdk/sdk.ts"
import {type Fields, fieldsOf, textIn} from "./fields.ts"

/**
 * The scheme of files that only the server can open. The server's links begin with `internal:` like the Host's own, but
 * lead to other files.
 */
const scheme = "satori:"

/**
 * Matches a tag of a file, from its name to its end. `image` is the name in the first drafts. A tag never contains `<`,
 * so matching takes linear time.
 */
const fileTag = /<(img|image|audio|video|file)(\s(?:[^<>"']|"[^"<]*"|'[^'<]*')*)>/gi

/** Matches an address in a tag of a file. `url` is the name in the first drafts. */
const address = /(\s)(src|url)(\s*=\s*)(["'])(.*?)\4/gis

const decode = (text: string): string => text.replaceAll("&amp;", "&")

const needsServer = (src: string, proxies: readonly string[]): boolean =>
  /^(internal|upload):/i.test(src) || proxies.some(prefix => src.startsWith(prefix))

/**
 * Returns the content of a received message. Files that only the server can open get addresses of this adapter, which
 * `download` accepts. A quoted message beside the content moves to its front.
 */
export const contentOf = (message: Fields, proxies: readonly string[]): string => {
  const content = textIn(message, "content") ?? ""
  return `${quoteOf(message, content)}${content.replace(fileTag, (_, type: string, rest: string) => {
    const attributes = rest.replace(
      address,
      (_whole, space: string, _name, equals: string, mark: string, src: string) => {
        const shown = needsServer(decode(src), proxies) ? `${scheme}${src}` : src
        return `${space}src${equals}${mark}${shown}${mark}`
      },
    )
    return `<${type.toLowerCase() === "image" ? "img" : type}${attributes}>`
  })}`
}

const quoteOf = (message: Fields, content: string): string => {
  const id = textIn(fieldsOf(message.quote), "id") ?? textIn(fieldsOf(message.quote), "message_id")
  return id === undefined || /^\s*<quote[\s/>]/i.test(content)
    ? ""
    : renderContent({type: "quote", attrs: {id}, children: []})
}

/** Returns the link of a file that only the server can open; undefined for any other address. */
export const linkOf = (src: string | undefined): string | undefined =>
  src?.startsWith(scheme) === true ? src.slice(scheme.length) : undefined

/** The prefix of button ids. Without it, another svc Host as the server would take them for its own. */
const pressScheme = "s:"

/** Returns the id that the Host gave the button. */
export const buttonIdOf = (id: string): string => (id.startsWith(pressScheme) ? id.slice(pressScheme.length) : id)

/** The blocks of Satori v1, and code, of which every server shows the text. */
const has = ["p", "br", "message", "pre"] as const

/** Returns the content for the server, in the elements of Satori v1, with the server's own links restored. */
export const toContent = (nodes: readonly Node[]): string => renderContent(lower(nodes, {has}).map(forServer))

const forServer = (node: Node): Node => {
  if (!isElement(node)) return node
  const {src, id} = node.attrs
  const link = typeof src === "string" ? linkOf(src) : undefined
  const changed = {
    ...(link === undefined ? {} : {src: link}),
    ...(node.type === "button" && id !== undefined ? {id: `${pressScheme}${id}`} : {}),
  }
  return {type: node.type, attrs: {...node.attrs, ...changed}, children: node.children.map(forServer)}
}
