import {isElement, lower, type Element as Markup, type Node, textOf} from "../../../../shared/sdk/sdk.ts"

/** A message for XMPP. */
export interface Written {
  readonly body: string
  /** Whether clients may interpret the marks of XEP-0393. Otherwise they must show the body unchanged. */
  readonly isStyled: boolean
  readonly files: readonly Markup[]
  /** The quoted message. */
  readonly quote: {readonly id: string; readonly text: string} | undefined
}

export interface WriteOptions {
  /** Returns a user's nick in the channel; undefined if the user is not there. */
  readonly nickOf: (id: string) => string | undefined
  /** Whether files stay in the text, by name and address. */
  readonly withFiles?: boolean
}

/** Message Styling (XEP-0393). */
const spans: Readonly<Record<string, string>> = {
  b: "*",
  strong: "*",
  i: "_",
  em: "_",
  s: "~",
  del: "~",
  code: "`",
}

/** The blocks of Message Styling. */
const blocks = ["pre", "blockquote"] as const
const fileTypes = new Set(["img", "audio", "video", "file"])

/**
 * Writes the text of a message. XEP-0393 cannot escape marks. If the text contains a mark, or a line starting with `>`,
 * the whole message is plain, so that user text never becomes markup.
 */
export const writeContent = (content: readonly Node[], options: WriteOptions): Written => {
  const {withFiles = false} = options
  const shows = withFiles ? () => false : isFile
  const bodyOf = (nodes: readonly Node[], isStyled: boolean) => {
    const parts = nodes.map(node => render(node, {...options, isStyled}))
    return parts.join("").replace(/\r\n?/g, "\n").replace(/\n+$/, "")
  }
  const marked = lower(content, {has: blocks, shows})
  const isStyled = marked.some(isMarked) && !/[*_~`]|^\s*>/m.test(bodyOf(marked, false))
  return {
    body: isStyled ? bodyOf(marked, true) : bodyOf(lower(content, {has: [], shows}), false),
    isStyled,
    files: withFiles ? [] : filesIn(content),
    quote: quoteIn(content),
  }
}

type Rendering = WriteOptions & {readonly isStyled: boolean}

const render = (node: Node, how: Rendering): string => {
  if (!isElement(node)) return node
  const {type, attrs, children} = node
  if (type === "quote" || isFile(node)) return ""
  if (type === "at" && typeof attrs.id === "string") return how.nickOf(attrs.id) ?? (textOf(node) || attrs.id)
  if (children.length === 0) return textOf(node)
  const inner = children.map(child => render(child, how)).join("")
  if (type === "a") return textOf({...node, children: [inner]})
  return how.isStyled ? styled(type, inner) : inner
}

const styled = (type: string, inner: string): string => {
  if (type === "pre") return `\`\`\`\n${inner.replace(/\n$/, "")}\n\`\`\``
  if (type === "code" && inner.includes("\n")) return `\`\`\`\n${inner.replace(/\n$/, "")}\n\`\`\`\n`
  if (type === "blockquote") return inner.replace(/^/gm, "> ")
  const mark = spans[type]
  // A span has one line, without spaces at its ends.
  return mark === undefined ? inner : inner.replace(/^([^\S\n]*)(\S.*?)([^\S\n]*)$/gm, `$1${mark}$2${mark}$3`)
}

const isMarked = (node: Node): boolean =>
  isElement(node) &&
  node.type !== "quote" &&
  (Object.hasOwn(spans, node.type) || blocks.some(type => type === node.type) || node.children.some(isMarked))

const isFile = ({type, attrs}: Markup): boolean => fileTypes.has(type) && typeof attrs.src === "string"

const filesIn = (content: readonly Node[]): readonly Markup[] =>
  content.flatMap(node => {
    if (!isElement(node) || node.type === "quote") return []
    return isFile(node) ? [node] : filesIn(node.children)
  })

const quoteIn = (content: readonly Node[]): Written["quote"] => {
  const quote = content.find((node): node is Markup => isElement(node) && node.type === "quote")
  const id = quote?.attrs.id
  return typeof id === "string" && id !== "" ? {id, text: textOf(quote?.children ?? [])} : undefined
}

/** Returns the quoted text for clients without replies (XEP-0461), at most five lines. */
export const quotedLines = (text: string): string =>
  text === ""
    ? ""
    : text
        .split("\n", 5)
        .map(line => `> ${line}\n`)
        .join("")
