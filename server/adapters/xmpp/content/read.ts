import type {Element} from "@xmpp/client"
import {fileElement, h, type Node} from "../../../../shared/sdk/sdk.ts"
import {normal} from "../stream/jid.ts"
import {ns} from "../stream/names.ts"
import {mediaTypeOf, nameOf} from "./files.ts"

/** The names by which a message may mention the bot. */
export interface Named {
  /** The id of the login. */
  readonly id: string
  readonly name: string
  /** The bot's nick in the message's room, and its address there. */
  readonly nick?: string
  readonly occupant?: string
}

/** A range of a body, in Unicode characters (XEP-0426). */
interface Range {
  readonly begin: number
  readonly end: number
}

/** Returns the content of a message as elements; empty without text and files. Styling is not parsed. */
export const readContent = (message: Element, bot: Named, sender: string): readonly Node[] => {
  const body = message.getChild("body")?.getText() ?? ""
  const characters = Array.from(body)
  const quote = quoteIn(message)
  const hidden = quote === undefined ? undefined : fallbackIn(message, characters.length)
  const files = filesIn(message)
  const mentions = mentionsIn(message, characters, hidden, bot)
  const text: Node[] = []
  let at = 0
  const write = (end: number) => {
    const from = hidden !== undefined && at <= hidden.begin ? [slice(characters, at, Math.min(end, hidden.begin))] : []
    const rest = slice(characters, Math.max(at, hidden?.end ?? 0), end)
    text.push(...[...from, rest].filter(part => part !== ""))
    at = end
  }
  for (const {begin, end, element} of mentions) {
    write(begin)
    text.push(element)
    at = end
  }
  write(characters.length)
  const said = files.some(({src}) => src === body) ? [] : calling(text, bot, sender)
  return [
    ...(quote === undefined ? [] : [h("quote", {id: quote})]),
    ...said,
    ...files.map(({src, name}) => fileElement({src, name, type: mediaTypeOf(name)})),
  ]
}

const slice = (characters: readonly string[], begin: number, end: number): string =>
  characters.slice(begin, Math.max(begin, end)).join("")

/** Returns the id of the quoted message (XEP-0461). */
const quoteIn = (message: Element): string | undefined => message.getChild("reply", ns.reply)?.attrs.id || undefined

const rangeOf = ({attrs}: Element, from: "start" | "begin", length: number): Range | undefined => {
  const [begin, end] = [Number(attrs[from]), Number(attrs.end)]
  return Number.isInteger(begin) && Number.isInteger(end) && 0 <= begin && begin < end && end <= length
    ? {begin, end}
    : undefined
}

/** Returns the part of the body that repeats the quoted message for clients without replies (XEP-0428). */
const fallbackIn = (message: Element, length: number): Range | undefined => {
  const fallback = message.getChildren("fallback", ns.fallback).find(({attrs}) => attrs.for === ns.reply)
  const part = fallback?.getChild("body")
  if (part === undefined) return undefined
  return part.attrs.start === undefined ? {begin: 0, end: length} : rangeOf(part, "start", length)
}

/** Further mentions in a message are ignored. */
const mostMentions = 100

interface Mention extends Range {
  readonly element: Node
}

/** Returns the mentions in the body (XEP-0372), in order. Overlapping ones are dropped. */
const mentionsIn = (
  message: Element,
  characters: readonly string[],
  hidden: Range | undefined,
  bot: Named,
): readonly Mention[] => {
  const references = message.getChildren("reference", ns.reference).slice(0, mostMentions)
  const found = references.flatMap((reference): readonly Mention[] => {
    const {type, uri = ""} = reference.attrs
    const range = rangeOf(reference, "begin", characters.length)
    if (type !== "mention" || range === undefined || !uri.startsWith("xmpp:")) return []
    if (hidden !== undefined && range.begin < hidden.end && range.end > hidden.begin) return []
    const id = addressOf(uri)
    const name = slice(characters, range.begin, range.end).replace(/^@/, "")
    return id === undefined ? [] : [{...range, element: mentionOf(id, name, bot)}]
  })
  const sorted = found.sort((one, other) => one.begin - other.begin)
  return sorted.filter(({begin}, index) => begin >= Math.max(0, ...sorted.slice(0, index).map(({end}) => end)))
}

const mentionOf = (id: string, name: string, bot: Named): Node =>
  id === bot.id || id === bot.occupant ? h("at", {id: bot.id, name: bot.name}) : h("at", {id, name})

const addressOf = (uri: string): string | undefined => {
  try {
    return normal(decodeURIComponent(uri.slice("xmpp:".length).split("?")[0] ?? "")) || undefined
  } catch {
    return undefined
  }
}

/** Turns a leading nick of the bot into a mention, and a leading `/me` into the sender's name (XEP-0245). */
const calling = (text: readonly Node[], bot: Named, sender: string): readonly Node[] => {
  const [first, ...rest] = text
  if (typeof first !== "string") return text
  if (first.startsWith("/me ")) return [`* ${sender} ${first.slice("/me ".length)}`, ...rest]
  const {nick} = bot
  if (nick === undefined || !first.toLowerCase().startsWith(nick.toLowerCase())) return text
  const after = first.slice(nick.length)
  return /^[:,：，、،\p{White_Space}]/u.test(after) ? [h("at", {id: bot.id, name: bot.name}), after, ...rest] : text
}

/** Returns addresses of files (XEP-0066), limited to those that the Host may open. */
const filesIn = (message: Element): readonly {readonly src: string; readonly name: string}[] =>
  message.getChildren("x", ns.oob).flatMap(part => {
    const src = part.getChild("url")?.getText().trim() ?? ""
    return /^https?:\/\/[^\s<>"]+$/i.test(src) && URL.canParse(src) ? [{src, name: nameOf(src)}] : []
  })
