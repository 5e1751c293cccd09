import {isRecord} from "./api.ts"

/** One segment of a message (OneBot v11, "message/array"). */
export interface Segment {
  readonly type: string
  readonly data: Readonly<Record<string, string>>
}

const entities: Readonly<Record<string, string>> = {"&amp;": "&", "&#91;": "[", "&#93;": "]", "&#44;": ","}

const readText = (text: string): string =>
  text.replace(/&amp;|&#91;|&#93;|&#44;/g, entity => entities[entity] ?? entity)

const escapeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("[", "&#91;").replaceAll("]", "&#93;")

/** Inside a CQ code, commas are escaped too (OneBot v11, "message/string"). */
const escapeValue = (text: string): string => escapeText(text).replaceAll(",", "&#44;")

const textSegment = (text: string): Segment => ({type: "text", data: {text: readText(text)}})

/**
 * Matches a CQ code. Some implementations leave brackets in a value unescaped: a pair belongs to the value, and a `]`
 * does if another key follows it before a space.
 */
const code = /\[CQ:([A-Za-z0-9_.-]+)((?:,[^,=[\]]+=(?:[^,[\]]|\[(?!CQ:)[^,[\]]*\]|\](?=[^,[\]\s]*,[a-z_]+=))*)*)\]/g

/** Parses text with CQ codes into segments. An incomplete CQ code is text. */
export const parseCq = (message: string): readonly Segment[] => {
  const segments: Segment[] = []
  let end = 0
  for (const match of message.matchAll(code)) {
    const [whole, type = "", list = ""] = match
    if (match.index > end) segments.push(textSegment(message.slice(end, match.index)))
    end = match.index + whole.length
    const pairs = list.split(",").slice(1)
    const data = pairs.map(pair => [pair.slice(0, pair.indexOf("=")), readText(pair.slice(pair.indexOf("=") + 1))])
    segments.push({type, data: Object.fromEntries(data)})
  }
  if (end < message.length) segments.push(textSegment(message.slice(end)))
  return segments
}

/** Writes segments as text with CQ codes. */
export const writeCq = (segments: readonly Segment[]): string =>
  segments
    .map(({type, data}) => {
      if (type === "text") return escapeText(data.text ?? "")
      const pairs = Object.entries(data).map(([key, value]) => `,${key}=${escapeValue(value)}`)
      return `[CQ:${type}${pairs.join("")}]`
    })
    .join("")

/** Returns the segments of a received message: text with CQ codes, a list, or one segment. */
export const segmentsOf = (message: unknown): readonly Segment[] => {
  if (typeof message === "string") return parseCq(message)
  const list = Array.isArray(message) ? message : [message]
  return list.flatMap((segment): readonly Segment[] => {
    if (!isRecord(segment) || typeof segment.type !== "string") return []
    const data = isRecord(segment.data) ? segment.data : {}
    const texts = Object.entries(data).filter(([, value]) => value !== null && typeof value !== "object")
    return [{type: segment.type, data: Object.fromEntries(texts.map(([key, value]) => [key, String(value)]))}]
  })
}
