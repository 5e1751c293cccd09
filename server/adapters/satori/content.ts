import {isElement, type Node, renderContent} from "../../../shared/sdk/sdk.ts"
import {type Fields, fieldsOf, textIn} from "./fields.ts"

/**
 * Before the address of a file that only the server opens. The Host's own links begin with `internal:` as the server's do, and lead
 * to other files.
 */
const scheme = "satori:"

/**
 * A tag of a file, from its name to its end; `image` is the word of the first drafts. A `<` never stands in a tag, so that looking for
 * one takes no longer than the text is.
 */
const fileTag = /<(img|image|audio|video|file)(\s(?:[^<>"']|"[^"<]*"|'[^'<]*')*)>/gi

/** An address in a tag of a file: `url` is the word of the first drafts. */
const address = /(\s)(src|url)(\s*=\s*)(["'])(.*?)\4/gis

const decode = (text: string): string => text.replaceAll("&amp;", "&")

const needsServer = (src: string, proxies: readonly string[]): boolean =>
  /^(internal|upload):/i.test(src) || proxies.some(prefix => src.startsWith(prefix))

/**
 * The content of a message that came in. Files that only the server opens get addresses of the adapter's own, which `download`
 * takes; a quoted message that stands beside the content comes in front of it.
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

/** What the server is asked to open for the address of a file; undefined for what anybody opens. */
export const linkOf = (src: string | undefined): string | undefined =>
  src?.startsWith(scheme) === true ? src.slice(scheme.length) : undefined

/** Before the ids of buttons: a server that is a Host of svc too would take them for its own. */
const pressScheme = "s:"

/** The id that the Host has given a button. */
export const buttonIdOf = (id: string): string => (id.startsWith(pressScheme) ? id.slice(pressScheme.length) : id)

/** The content that a server gets: its own links are its own again. */
export const toContent = (nodes: readonly Node[]): string => renderContent(nodes.map(forServer))

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
