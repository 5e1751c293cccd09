import {isElement, lower, type Node, textOf} from "../../../shared/sdk/sdk.ts"

/** Formatting codes of IRC clients (modern.ircdocs.horse/formatting). */
const codes: Record<string, string> = {
  b: "\x02",
  strong: "\x02",
  i: "\x1d",
  em: "\x1d",
  u: "\x1f",
  s: "\x1e",
  code: "\x11",
}

/**
 * Removes characters that no IRC client shows as text: every C0 and C1 character and DEL, except tab, line ends and
 * formatting.
 */
const withoutCommands = (text: string): string =>
  text.replace(/[\0\x01\x05-\x08\x0b\x0c\x0e\x10\x12-\x15\x17-\x1c\x7f-\x9f]/g, "")

/** Returns the text without colours, formatting and control characters except the tab. */
export const plain = (text: string): string =>
  text.replace(/\x03(\d{1,2}(,\d{1,2})?)?|\x04[0-9a-f]{6}|[\0-\x08\x0a-\x1f\x7f-\x9f]/gi, "")

const render = (node: Node): string => {
  if (!isElement(node)) return node
  if (node.type === "quote") return ""
  const code = codes[node.type]
  if (code === undefined && node.children.length === 0) return textOf(node)
  const inner = node.children.map(render).join("")
  if (node.type === "a") return textOf({...node, children: [inner]})
  // Formatting ends with the line.
  return code === undefined ? inner : inner.replace(/[^\r\n]+/g, line => `${code}${line}${code}`)
}

/** Returns the message as lines, because IRC has no messages of several lines. */
export const toLines = (content: readonly Node[]): readonly string[] =>
  withoutCommands(
    lower(content, {has: [], shows: () => false})
      .map(render)
      .join(""),
  )
    .split(/\r\n|\r|\n/)
    .filter(line => line.trim() !== "")

/**
 * Splits a line into parts of at most `most` bytes (UTF-8): between words, and within a word only if it does not fit
 * alone.
 */
export const splitLine = (line: string, most: number): readonly string[] => {
  if (Buffer.byteLength(line) <= most) return [line]
  const parts: string[] = []
  let part = ""
  let size = 0
  const end = () => {
    if (part.trim() !== "") parts.push(part.trimEnd())
    part = ""
    size = 0
  }
  const makeRoom = (text: string) => {
    if (size + Buffer.byteLength(text.trimEnd()) > most) end()
  }
  for (const word of line.split(/(?<=\s)(?=\S)/)) {
    makeRoom(word)
    for (const piece of Buffer.byteLength(word) > most ? word : [word]) {
      makeRoom(piece)
      part += piece
      size += Buffer.byteLength(piece)
    }
  }
  end()
  return parts
}
