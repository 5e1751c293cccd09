import {isElement, type Node} from "../../../shared/sdk/content/elements.ts"
import {readMessage} from "../../../shared/sdk/content/parse-content.ts"
import type {SatoriEvent} from "../../../shared/sdk/content/satori.ts"
import {writtenText} from "../../../shared/sdk/content/text.ts"
import {blank, invisible, keyOf, past, pastBlanks, pastInvisible, pastName} from "../../../shared/sdk/text/typed.ts"

/** How a message calls the bot. */
export interface Called {
  /** A prefix counts more than a name beside it. */
  readonly by: "prefix" | "name"
  /** What a reply puts before a command: `/`, or `bot: `. */
  readonly manner: string
  readonly words: string
  /** It calls another bot: `/help@other`. */
  readonly isForOther?: boolean
}

export interface Calling {
  readonly prefixes: readonly string[]
  /** Returns whether a text begins with the words of a command. */
  readonly isCommand: (words: string) => boolean
}

const mark = "[:,，：、،]"
/** What separates the bot's name from the words after it. */
const separator = new RegExp(
  String.raw`[${invisible}]*(?:\p{White_Space}[${blank}]*(?:${mark}[${blank}]*)?|${mark}[${blank}]*)`,
  "uy",
)
/** A word with the name of a bot, up to the name. */
const mentioning = /[^@＠\p{White_Space}]*(?=[@＠]\P{White_Space})/uy
const border = new RegExp(String.raw`^[${invisible}]*(?:\p{White_Space}|$)`, "u")

const byName: Calling = {prefixes: [], isCommand: () => false}

/** Returns how a message calls the bot; undefined if it has neither a prefix nor the bot's name in front. */
export const calledBy = (text: string, event: SatoriEvent, {prefixes, isCommand} = byName): Called | undefined => {
  const from = pastBlanks(text, 0)
  const first = prefixAt(text, from, prefixes)
  const name = first === undefined ? nameAt(text, from, event, {prefixes, isCommand}) : undefined
  const prefix = first ?? (name && prefixAt(text, name.end, prefixes))
  if (prefix !== undefined)
    return {by: "prefix", manner: prefix.prefix, ...withoutName(text.slice(prefix.end), event, isCommand)}
  if (name === undefined) return undefined
  return {by: "name", manner: `${text.slice(from, name.end).trimEnd()} `, words: text.slice(name.end)}
}

const prefixAt = (text: string, at: number, prefixes: readonly string[]) => {
  for (const prefix of prefixes) {
    const key = keyOf(prefix)
    const end = key === "" ? -1 : pastName(text, at, key)
    if (end >= 0) return {prefix, end: pastInvisible(text, end)}
  }
  return undefined
}

/** Returns the end of the bot's name at `at` and of what separates it from the next word. */
const nameAt = (text: string, at: number, event: SatoriEvent, {prefixes, isCommand}: Calling) => {
  const isAt = keyOf(text.charAt(at)) === "@"
  for (const {key, isMarked} of namesOf(event, isAt)) {
    const to = pastName(text, at, key)
    if (to < 0) continue
    const end = past(separator, text, to)
    if (end > to) return {end}
    const isGlued = isMarked || (isAt && (prefixAt(text, to, prefixes) !== undefined || isCommand(text.slice(to))))
    if (isGlued && to < text.length) return {end: to}
  }
  return undefined
}

/** Takes the bot's name off the first word: `help@bot`, `@bot help`. */
const withoutName = (words: string, event: SatoriEvent, isCommand: Calling["isCommand"]) => {
  mentioning.lastIndex = 0
  if (!mentioning.test(words) || isCommand(words)) return {words}
  const at = mentioning.lastIndex
  for (const {key} of namesOf(event, true)) {
    const end = pastName(words, at, key)
    const after = at === 0 ? past(separator, words, end) : end
    if (end > 0 && (after > end || border.test(words.slice(end))))
      return {words: words.slice(0, at) + words.slice(after)}
  }
  return {words, isForOther: true}
}

/** Returns the keys of the bot's names: those in the platform's mentions of it, and its own. */
const namesOf = (event: SatoriEvent, isAt: boolean): readonly {key: string; isMarked: boolean}[] => {
  const {name = "", id = ""} = event.login.user ?? {}
  const own = [name, id].map(keyOf).map(key => ({key: isAt && !key.startsWith("@") ? `@${key}` : key, isMarked: false}))
  const mentions = mentionsIn(event).map(mention => ({key: keyOf(mention), isMarked: true}))
  return [...mentions, ...own].filter(({key}) => key !== "" && key !== "@")
}

/** Returns the platform's mentions of the bot in a message, as its text shows them. */
export const mentionsIn = (event: SatoriEvent): readonly string[] => {
  const {id = ""} = event.login.user ?? {}
  const find = (node: Node): readonly string[] => {
    if (!isElement(node)) return []
    return node.type === "at" && node.attrs.id === id ? [writtenText(node)] : node.children.flatMap(find)
  }
  return id === "" ? [] : readMessage(event).nodes.flatMap(find)
}
