import type {Session, User} from "svc-runtime"
import {elementsIn} from "./links.ts"

/** A person whom a command is about. */
export type Person = Pick<User, "id" | "name">

/** The id, which the commands take, and the name that people see. */
export const who = ({id, name}: Person): string =>
  name === undefined || name === id ? id : `${id} (${name.slice(0, 60)})`

/** The most people whose names are remembered. */
const mostPeople = 500

/** The forms of ids, for platforms where a name cannot be one. */
const idForms: Readonly<Record<string, RegExp>> = {
  discord: /^\d+$/,
  matrix: /^@[^:]+:.+$/,
  onebot: /^\d+$/,
  slack: /^[UW][A-Z0-9]+$/,
  telegram: /^-?\d+$/,
}

/** Returns whether an id is that of a group or a channel: on Telegram these write too, and cannot be muted. */
export const isChat = ({event}: Session, id: string): boolean =>
  event.login.platform === "telegram" && id.startsWith("-")

const placeOf = ({endpoint, guild, channel}: Session): string => `${endpoint} ${guild?.id ?? channel?.id}`

/** Remembers who wrote lately, in memory, so that moderators can name them. */
export class People {
  readonly #known = new Map<string, {readonly place: string; readonly user: User}>()

  add(session: Session): void {
    const {user} = session
    if (user === undefined) return
    const place = placeOf(session)
    this.#known.delete(`${place} ${user.id}`)
    this.#known.set(`${place} ${user.id}`, {place, user})
    const [oldest] = this.#known.keys()
    if (this.#known.size > mostPeople && oldest !== undefined) this.#known.delete(oldest)
  }

  /** Returns those who wrote in the server or group of this session and have this id, or else this name. */
  find(session: Session, word: string): readonly User[] {
    const place = placeOf(session)
    const here = [...this.#known.values()].flatMap(each => (each.place === place ? [each.user] : []))
    const exact = here.filter(({id}) => id === word)
    const name = word.replace(/^@/, "").toLowerCase()
    return exact.length > 0
      ? exact
      : here.filter(each => [each.name, each.nick].some(own => own?.toLowerCase() === name))
  }
}

export interface Named {
  readonly person: Person
  /** The text of the command without the person. */
  readonly rest: string
}

/** Returns the person whom the text begins to mention, as far as the platform tells the id. */
const mentioned = ({elements}: Session, text: string): Named | undefined => {
  const named = elementsIn(elements).flatMap(({type, attrs: {id, name}}) =>
    type === "at" && id !== undefined ? [{id: String(id), name: name === undefined ? undefined : String(name)}] : [],
  )
  for (const {id, name} of named)
    for (const shown of [name, id]) {
      if (shown === undefined || !text.startsWith(`@${shown}`)) continue
      return {person: {id, ...(name !== undefined && {name})}, rest: text.slice(shown.length + 1).trim()}
    }
  return undefined
}

/**
 * Returns the person whom a command of a moderator is about: the one whom its text mentions or names first, or the author
 * of the message that it answers; undefined if that is nobody, or several people.
 */
export const readPerson = async (session: Session, people: People, text: string): Promise<Named | undefined> => {
  const {event} = session
  const isBot = (id: string) => id === event.login.user?.id
  const mention = mentioned(session, text)
  if (mention !== undefined) return isBot(mention.person.id) ? undefined : mention
  const [written = "", quote, bare] = /^"([^"]+)"|^(\S+)/.exec(text) ?? []
  const [word, rest] = [quote ?? bare ?? "", text.slice(written.length).trim()]
  const author = (await session.quoted())?.user
  // In an answer, a first word is the reason, unless it can only be a name or an id.
  if (author !== undefined && !isBot(author.id) && !/^@|^\d{6,}$/.test(word)) return {person: author, rest: text}
  const [found, second] = people.find(session, word)
  if (found !== undefined) return second === undefined && !isBot(found.id) ? {person: found, rest} : undefined
  const isId = idForms[event.login.platform ?? ""]?.test(word) ?? /^[^@]/.test(word)
  return isId && !isBot(word) ? {person: {id: word}, rest} : undefined
}

/** Returns the words of a command as one text. Words that were in quotation marks have them again. */
export const joined = (...words: readonly (string | undefined)[]): string =>
  words
    .slice(0, -1)
    .flatMap(word => (word === undefined ? [] : [/\s/.test(word) ? `"${word}"` : word]))
    .concat(words.at(-1) ?? [])
    .join(" ")
