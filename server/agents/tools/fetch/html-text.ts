import {decodeEntities} from "../../../../shared/sdk/text/entities.ts"

/** Elements whose content people do not see. */
const unread: ReadonlySet<string> = new Set(
  "script style noscript template svg math iframe object canvas select".split(" "),
)

/** Elements that start and end a line. */
const blocks: ReadonlySet<string> = new Set(
  "address article aside blockquote body br dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hr html legend li main nav ol option p pre section summary table tbody tfoot thead title tr ul".split(
    " ",
  ),
)

/** Returns the text of a page without tags, scripts and styles, for a model. Runs in linear time for any page. */
export const textOfHtml = (html: string): string => {
  // Lowers only ASCII letters, because others may change the length, and with it the positions.
  const lower = html.replace(/[A-Z]+/g, letters => letters.toLowerCase())
  const parts: string[] = []
  let kept = 0
  let at = 0
  while (at < html.length) {
    const open = html.indexOf("<", at)
    const text = html.slice(at, open < 0 ? html.length : open)
    parts.push(kept > 0 ? text : text.replace(/\s+/g, " "))
    if (open < 0) break
    const tag = readTag(lower, open)
    if (tag.name === "pre") kept += tag.isEnd ? (kept > 0 ? -1 : 0) : 1
    parts.push(tag.name === "" ? html.slice(open, tag.end) : blocks.has(tag.name) ? "\n" : isCell(tag) ? " " : "")
    if (tag.name === "li" && !tag.isEnd) parts.push("- ")
    at = tag.end
  }
  return decodeEntities(parts.join(""))
    .replace(/[^\S\n]+\n/g, "\n")
    .replace(/\n[^\S\n](?=\S)/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim()
}

interface Tag {
  /** Empty if the `<` starts no tag. A comment is called `!`. */
  readonly name: string
  readonly isEnd: boolean
  /** The position after the tag, and after its content if people do not see it. */
  readonly end: number
}

const isCell = ({name, isEnd}: Tag): boolean => (name === "td" || name === "th") && !isEnd

const readTag = (lower: string, open: number): Tag => {
  const after = (found: number, length: number) => (found < 0 ? lower.length : found + length)
  if (lower.startsWith("<!--", open)) return {name: "!", isEnd: false, end: after(lower.indexOf("-->", open + 4), 3)}
  if (lower[open + 1] === "!" || lower[open + 1] === "?")
    return {name: "!", isEnd: false, end: after(lower.indexOf(">", open), 1)}
  const begin = /<(\/?)([a-z][a-z0-9:-]*)/y
  begin.lastIndex = open
  const [found, slash, name = ""] = begin.exec(lower) ?? []
  if (found === undefined) return {name: "", isEnd: false, end: open + 1}
  const end = endOfTag(lower, open + found.length)
  if (slash === "/" || !unread.has(name)) return {name, isEnd: slash === "/", end}
  const close = lower.indexOf(`</${name}`, end)
  return {name, isEnd: false, end: close < 0 ? lower.length : endOfTag(lower, close)}
}

/** Returns the position after the `>` that ends a tag. A `>` within quotes does not end it. */
const endOfTag = (lower: string, from: number): number => {
  const next = /["'>]/g
  next.lastIndex = from
  for (let found = next.exec(lower); found !== null; found = next.exec(lower)) {
    if (found[0] === ">") return found.index + 1
    const quote = lower.indexOf(found[0], found.index + 1)
    if (quote < 0) break
    next.lastIndex = quote + 1
  }
  return lower.length
}
