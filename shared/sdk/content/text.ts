import type {Content, Node} from "./elements.ts"
import {lowered} from "./lower.ts"
import {fileWord, plain, wordOf} from "./plain.ts"

/**
 * Returns the text of a tree, as a platform without markup shows it: lists and quoted text with marks before their
 * lines, tables in columns, files by title and address, no answered message.
 */
export const textOf = (content: Content): string =>
  plain(lowered(content, new Set(), {word: fileWord})).replace(/\n$/, "")

/** Returns a message's text for a bot to read. Unlike `textOf`, without files, and with a link's text or address. */
export const writtenText = (content: Content): string =>
  written(lowered(content, new Set(), {word: wordOf})).replace(/\n$/, "")

const written = (nodes: readonly Node[]): string => nodes.map(writtenIn).join("")

const writtenIn = (node: Node): string => {
  if (typeof node === "string") return node
  if (node.type === "quote") return ""
  const inner = written(node.children)
  return inner === "" && node.type === "a" ? String(node.attrs.href ?? "") : inner
}
