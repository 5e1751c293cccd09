import {type Element, h, type Node} from "../../../../shared/sdk/sdk.ts"

/** The names for the ids in a message, which Discord sends beside its text. */
export interface Named {
  /** Returns the name of a user; undefined if Discord did not send it. */
  user(id: string): string | undefined
  channel(id: string): string | undefined
  /** Whether the message notified everyone. Otherwise `@everyone` is only text. */
  readonly everyone: boolean
}

interface Rule {
  readonly pattern: RegExp
  /** Returns the node of a match; undefined if the match is text after all. */
  make(match: RegExpMatchArray, inner: (text: string) => readonly Node[], named: Named): Node | undefined
}

const wrapping = (pattern: RegExp, type: string): Rule => ({
  pattern,
  make: ([, text = ""], inner) => (text.trim() === "" ? undefined : h(type, {}, ...inner(text))),
})

const at = (attrs: Record<string, string | undefined>): Element => h("at", attrs)

const linkOf = (href: string, children: readonly Node[] = []): Element => h("a", {href}, ...children)

/** The deepest nesting of marks. Deeper marks are text. */
const deepest = 8

/** Longer messages are not searched for marks. Discord's own limit is 4000 characters. */
const longest = 20_000

/** Discord's Markdown, in the order of matching. All patterns are sticky. */
const rules: readonly Rule[] = [
  {pattern: /\\([!-/:-@[-`{-~])/y, make: ([, character = ""]) => character},
  {
    pattern: /```(?:([a-z0-9_+\-.#]+)\n)?\n*([^`](?:(?!```)[\s\S])*?)\n*```/iy,
    make: ([, lang, text = ""]) => h("code", {lang}, text),
  },
  {pattern: /(`{1,2})((?:(?!\1)[\s\S])+?)\1(?!`)/y, make: ([, , text = ""]) => h("code", {}, text.trim() || text)},
  {pattern: /<@!?(\d{1,20})>/y, make: ([, id = ""], _, named) => at({id, name: named.user(id)})},
  {pattern: /<@&(\d{1,20})>/y, make: ([, role = ""]) => at({role})},
  {pattern: /<#(\d{1,20})>/y, make: ([, id = ""], _, named) => h("sharp", {id, name: named.channel(id)})},
  {
    pattern: /<(a?):(\w{1,40}):(\d{1,20})>/y,
    make: ([, animated, name = "", id = ""]) =>
      h("emoji", {id, name, animated: animated === "a" ? true : undefined}, `:${name}:`),
  },
  {
    pattern: /@(everyone|here)\b/y,
    make: ([, type = ""], _, named) => (named.everyone ? at({type: type === "everyone" ? "all" : "here"}) : undefined),
  },
  {
    pattern: /\[([^[\]\n]{1,500})\]\(<?(https?:\/\/[^\s<>()]{1,2000})>?\)/y,
    make: ([, text = "", href = ""], inner) => linkOf(href, inner(text)),
  },
  {pattern: /<(https?:\/\/[^\s<>]{1,2000})>/y, make: ([, href = ""]) => linkOf(href)},
  {pattern: /https?:\/\/[^\s<]{1,2000}[^\s<.,:;"'\])*_~|`]/y, make: ([href]) => linkOf(href)},
  wrapping(/\*\*((?:\\[\s\S]|[^\\])+?)\*\*(?!\*)/y, "b"),
  wrapping(/__((?:\\[\s\S]|[^\\])+?)__(?!_)/y, "u"),
  wrapping(/~~((?:\\[\s\S]|[^\\])+?)~~(?!~)/y, "s"),
  wrapping(/\|\|((?:\\[\s\S]|[^\\])+?)\|\|/y, "spl"),
  wrapping(/\*(?=\S)((?:\*\*|\\[\s\S]|\s+(?:\\[\s\S]|[^\s*\\]|\*\*)|[^\s*\\])+?)\*(?!\*)/y, "i"),
  wrapping(/(?<!\w)_((?:__|\\[\s\S]|[^\\_])+?)_(?!\w)/y, "i"),
]

/** Characters at which a rule may start. */
const begins = /[\\`<@[*_~|h]/g

/** Parses a message into elements. Characters that look like a mark but are none stay text. */
export const readMarkdown = (text: string, named: Named, depth = 0): readonly Node[] => {
  if (depth > deepest || text.length > longest) return text === "" ? [] : [text]
  const nodes: Node[] = []
  let from = 0
  let place = 0
  const end = (until: number) => {
    if (until > from) nodes.push(text.slice(from, until))
  }
  for (;;) {
    begins.lastIndex = place
    const next = begins.exec(text)
    if (next === null) break
    const found = find(text, next.index, named, depth)
    if (found === undefined) {
      place = next.index + 1
      continue
    }
    end(next.index)
    nodes.push(found.node)
    place = next.index + found.length
    from = place
  }
  end(text.length)
  return joined(nodes)
}

const find = (text: string, index: number, named: Named, depth: number) => {
  for (const {pattern, make} of rules) {
    pattern.lastIndex = index
    const match = pattern.exec(text)
    if (match === null) continue
    const node = make(match, inner => readMarkdown(inner, named, depth + 1), named)
    if (node !== undefined) return {node, length: match[0].length}
  }
  return undefined
}

/** Joins adjacent texts. */
const joined = (nodes: readonly Node[]): readonly Node[] =>
  nodes.reduce<Node[]>((all, node) => {
    const last = all.at(-1)
    if (typeof node === "string" && typeof last === "string") all[all.length - 1] = last + node
    else all.push(node)
    return all
  }, [])
