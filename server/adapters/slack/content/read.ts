import {type Element, fileElement, h, type Node} from "../../../../shared/sdk/sdk.ts"
import {type Payload, payloadsIn, textIn} from "../api/payload.ts"

/**
 * Returns a pattern for text between two marks, as Slack formats it: not within a word, and without spaces at the inner
 * edges.
 */
const pair = (mark: string): string =>
  `(?<![\\p{L}\\p{N}${mark}])${mark}(?!\\s)([^${mark}\\n]*[^${mark}\\s])${mark}(?![\\p{L}\\p{N}${mark}])`

/** https://docs.slack.dev/messaging/formatting-message-text */
const markup = new RegExp(
  ["```([^`]+)```", "`([^`\\n]+)`", "<([^<>\\n]+)>", pair("\\*"), pair("_"), pair("~")].join("|"),
  "gu",
)

/** Slack escapes only these three characters. */
const unescaped = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")

/** Parses a text in Slack's mrkdwn. Anything that is not markup is text. */
export const readText = (text: string): readonly Node[] => {
  const nodes: Node[] = []
  let at = 0
  for (const found of text.matchAll(markup)) {
    if (found.index > at) nodes.push(unescaped(text.slice(at, found.index)))
    at = found.index + found[0].length
    nodes.push(elementOf(found))
  }
  if (at < text.length) nodes.push(unescaped(text.slice(at)))
  return nodes
}

const elementOf = ([whole, block, code, angle, bold, italic, struck]: RegExpMatchArray): Node => {
  if (block !== undefined) return h("code", {}, unescaped(block))
  if (code !== undefined) return h("code", {}, unescaped(code))
  if (angle !== undefined) return referenceOf(angle) ?? unescaped(whole)
  if (bold !== undefined) return h("b", {}, ...readText(bold))
  if (italic !== undefined) return h("i", {}, ...readText(italic))
  return h("s", {}, ...readText(struck ?? ""))
}

/** Returns the element for the text between < and >; undefined if it is not a Slack reference. */
const referenceOf = (inner: string): Node | undefined => {
  const bar = inner.indexOf("|")
  const [target, label] = bar < 0 ? [inner, ""] : [inner.slice(0, bar), unescaped(inner.slice(bar + 1))]
  const name = label === "" ? undefined : label.replace(/^[@#]/, "")
  const id = target.slice(1)
  if (/^@[UW][A-Z0-9]+$/.test(target)) return h("at", {id, name})
  if (/^#[A-Z][A-Z0-9]+$/.test(target)) return h("sharp", {id, name})
  if (target.startsWith("!")) return specialOf(id, label)
  if (!/^[a-z][a-z0-9+.-]*:/i.test(target)) return undefined
  const href = unescaped(target)
  return label === "" ? h("a", {href}) : h("a", {href}, label)
}

const specialOf = (what: string, label: string): Node => {
  if (what === "here") return h("at", {type: "here"})
  if (what === "channel" || what === "everyone") return h("at", {type: "all", name: what})
  const [, role] = /^subteam\^(S[A-Z0-9]+)$/.exec(what) ?? []
  if (role !== undefined) return h("at", {role, name: label === "" ? undefined : label.replace(/^@/, "")})
  return label
}

/** Returns the content of a message: its thread as a quote, its text, its files. */
export const readMessage = (message: Payload, thread?: string): readonly Node[] => [
  ...(thread === undefined ? [] : [h("quote", {id: thread})]),
  ...readText(textIn(message, "text") ?? ""),
  ...payloadsIn(message, "files").flatMap(fileOf),
]

/** A file that is deleted, or hidden by the workspace's plan, has no address. */
const fileOf = (file: Payload): readonly Element[] => {
  const src = textIn(file, "url_private_download") ?? textIn(file, "url_private")
  if (src === undefined || !/^https?:/i.test(src)) return []
  const size = typeof file.size === "number" && file.size >= 0 ? file.size : undefined
  return [fileElement({src, name: textIn(file, "name") ?? textIn(file, "title"), type: textIn(file, "mimetype"), size})]
}
