/** A node of parsed HTML. A string is text. */
export type HtmlNode = string | HtmlElement

export interface HtmlElement {
  readonly tag: string
  readonly attrs: Readonly<Record<string, string>>
  readonly children: readonly HtmlNode[]
}

/** Deeper elements are flattened into the innermost allowed one. */
const deepest = 32

/** Matches a tag to its `>`, or up to where it turns out not to be one. It reads each part only once. */
const tagPattern = /<(\/?)([a-z][a-z0-9-]*)(?=[\s/>])((?:[^<>"']+|"[^"]*"|'[^']*')*)(>?)/iy
const attributePattern = /([^\s=<>"'/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+)))?/g
const entityPattern = /&(?:([a-z]{2,8})|#([0-9]{1,7})|#x([0-9a-f]{1,6}));/gi

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  hellip: "…",
  mdash: "—",
  ndash: "–",
}

const empty: ReadonlySet<string> = new Set(["br", "hr", "img", "input", "wbr"])

/** Elements whose content is not text. */
const silent: ReadonlySet<string> = new Set(["script", "style", "head", "title", "template", "iframe", "mx-reply"])

/**
 * Parses any text as HTML. It rejects nothing: invalid markup is text, and an unclosed element ends with its parent.
 * Runs in linear time.
 */
export const parseHtml = (html: string): readonly HtmlNode[] => {
  const root: HtmlNode[] = []
  const open: {readonly tag: string; readonly children: HtmlNode[]}[] = []
  const lastComment = html.lastIndexOf("-->")
  let depth = 0
  const here = () => open.at(-1)?.children ?? root
  const begin = (tag: string, rest: string) => {
    const children: HtmlNode[] = []
    const parent = here()
    parent.push({tag, attrs: readAttributes(rest), children})
    if (empty.has(tag)) return
    open.push({tag, children: ++depth < deepest ? children : parent})
  }
  const end = (tag: string) => {
    if (!open.some(each => each.tag === tag)) return
    for (let closed = open.pop(); closed !== undefined; closed = open.pop()) {
      depth--
      if (closed.tag === tag) return
    }
  }
  for (let at = 0; at < html.length; ) {
    const next = html.indexOf("<", at)
    const stop = next < 0 ? html.length : next
    if (stop > at) here().push(decode(html.slice(at, stop)))
    at = stop
    if (next < 0) break
    if (html.startsWith("<!--", at) && at + 4 <= lastComment) {
      at = html.indexOf("-->", at + 4) + 3
      continue
    }
    tagPattern.lastIndex = at
    const [whole = "<", slash, name = "", rest = "", close = ""] = tagPattern.exec(html) ?? []
    at += whole.length
    if (close === "") here().push(decode(whole))
    else if (slash === "/") end(name.toLowerCase())
    else begin(name.toLowerCase(), rest)
  }
  return withoutSilent(root)
}

const withoutSilent = (nodes: readonly HtmlNode[]): readonly HtmlNode[] =>
  nodes.flatMap((node): readonly HtmlNode[] => {
    if (typeof node === "string") return [node]
    return silent.has(node.tag) ? [] : [{...node, children: withoutSilent(node.children)}]
  })

const readAttributes = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(attributePattern)].map(([, name = "", double, single, bare]) => [
      name.toLowerCase(),
      decode(double ?? single ?? bare ?? ""),
    ]),
  )

const decode = (text: string): string =>
  text.includes("&")
    ? text.replace(
        entityPattern,
        (whole, name: string | undefined, decimal: string | undefined, hex: string | undefined) =>
          name === undefined ? fromCode(whole, decimal, hex) : (entities[name] ?? whole),
      )
    : text

/** A number that is not a character stays as written. */
const fromCode = (whole: string, decimal: string | undefined, hex: string | undefined): string => {
  const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal)
  const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
  return isCharacter ? String.fromCodePoint(code) : whole
}
