import type {Session} from "svc-runtime"
import {elementsIn, hostOf, linksIn, plain} from "./links.ts"
import {type Action, actions, type Filter, type Settings} from "./settings.ts"

/** What a filter found. `messages` are the platform's ids of all the messages that it is about. */
export interface Verdict {
  readonly filter: Filter
  readonly action: Action
  readonly found: string
  readonly messages: readonly string[]
}

/** Returns a text as the filters compare it: without case, invisible characters and other forms of the same letters. */
export const normal = (text: string): string => plain(text).toLowerCase().replace(/\s+/g, " ").trim()

const wholeWord = (word: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}_])${word.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")}(?![\\p{L}\\p{N}_])`, "u")

const invite =
  /(?:(?:discord\.gg|discord(?:app)?\.com\/invite|(?:t|telegram)\.me\/(?:joinchat|\+)|chat\.whatsapp\.com)\/?|tg:\/\/join\?invite=)[\w-]+/i

/** Returns the filters of a configuration, for all but those that need earlier messages. */
export const createFilters = ({words, parts, allow, mentions, actions: chosen}: Settings) => {
  const whole = words.map(word => ({word, pattern: wholeWord(normal(word))}))
  const inside = parts.map(part => ({part, text: normal(part)}))
  const isAllowed = (host: string) => allow.some(domain => host === domain || host.endsWith(`.${domain}`))

  /** Returns what each filter finds in a message. */
  return ({text: written, elements: tree}: Session): Partial<Record<Filter, string>> => {
    const text = normal(written)
    const elements = elementsIn(tree)
    const links = linksIn(written, elements)
    const named = elements.filter(({type}) => type === "at").map(({attrs}) => attrs.id ?? attrs.role ?? attrs.type)
    const count = new Set(named).size
    const found: Partial<Record<Filter, string | undefined>> = {
      words: whole.find(({pattern}) => pattern.test(text))?.word,
      parts: inside.find(each => text.includes(each.text))?.part,
      invites: [plain(written), ...links].map(each => invite.exec(each)?.[0]).find(each => each),
      links: links.flatMap(link => hostOf(link) ?? []).find(host => !isAllowed(host)),
      mentions: count > mentions ? String(count) : undefined,
    }
    return Object.fromEntries(
      Object.entries(found).filter(([filter, what]) => what !== undefined && chosen[filter as Filter] !== "off"),
    )
  }
}

/** Returns the most severe of the filters that found something. */
export const severest = (
  found: Partial<Record<Filter, string>>,
  chosen: Settings["actions"],
): {filter: Filter; found: string; action: Action} | undefined =>
  (Object.entries(found) as [Filter, string][])
    .map(([filter, what]) => ({filter, found: what, action: chosen[filter]}))
    .sort((one, other) => actions.indexOf(other.action) - actions.indexOf(one.action))[0]
