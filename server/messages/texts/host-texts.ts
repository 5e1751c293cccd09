import {closestLanguage, fallbacksOf} from "../../../shared/language.ts"
import type {LocalText, TextValues} from "../../../shared/sdk/text/texts.ts"
import {type Message, plainMessage} from "../../runtime/text/message.ts"
import {de} from "./de.ts"
import {en, type HostTable, type HostText} from "./en.ts"
import {es} from "./es.ts"
import {zhHans} from "./zh-hans.ts"

/** Says a text of svc in one language. */
export type Say = (key: HostText, values?: TextValues) => string

/** A project's own texts, by language and key: they come before svc's. */
export type OwnTexts = ReadonlyMap<string, ReadonlyMap<string, Message>>

type Messages = ReadonlyMap<string, Message>

export const builtInTables: Readonly<Record<string, HostTable>> = {en, de, "zh-Hans": zhHans, es}

/** The messages of svc's own table, read at first use. */
const builtIn = new Map<string, Messages>()

const readBuiltIn = (language: string): Messages => {
  const known = builtIn.get(language)
  if (known !== undefined) return known
  const read = new Map(Object.entries(builtInTables[language] ?? {}).map(([key, text]) => [key, plain(text)]))
  builtIn.set(language, read)
  return read
}

const plain = (text: string): Message => {
  const message = plainMessage(text)
  if (message === undefined) throw new Error(`a text of svc is text and names alone: ${text}`)
  return message
}

export const isHostText = (key: string): key is HostText => Object.hasOwn(en, key)

/** What svc says in chats, in the languages of its table and of the project. */
export class HostTexts {
  readonly #own: OwnTexts
  readonly #fallback: string
  readonly #says = new Map<string, Say>()
  #cancelWords: ReadonlySet<string> | undefined

  /** `fallback`: the language for what another lacks; English for what that one lacks. */
  constructor(own: OwnTexts = new Map(), fallback = "en") {
    this.#own = own
    this.#fallback = fallback
  }

  /** The languages that have texts. */
  get languages(): readonly string[] {
    return [...new Set([...this.#own.keys(), ...Object.keys(builtInTables)])]
  }

  in(language: string): Say {
    const known = this.#says.get(language)
    if (known !== undefined) return known
    const order = [...this.#closest(language), ...this.#closest(this.#fallback), "en"]
    const messages = order.flatMap(tag => [this.#own.get(tag) ?? new Map(), readBuiltIn(tag)])
    const say: Say = (key, values = {}) =>
      messages
        .find(each => each.has(key))
        ?.get(key)
        ?.format(values) ?? key
    this.#says.set(language, say)
    return say
  }

  /** A text of each language, for the description of a command. */
  of(key: HostText): LocalText {
    return {in: language => this.in(language)(key)}
  }

  /** In lower case, the words that end a question that names none, in every language: people mix them. */
  get cancelWords(): ReadonlySet<string> {
    this.#cancelWords ??= this.wordsOf("prompt.cancel")
    return this.#cancelWords
  }

  /** In lower case, a word as it is in each language. */
  wordsOf(key: HostText): ReadonlySet<string> {
    return new Set(this.languages.map(language => this.in(language)(key).toLowerCase()))
  }

  #closest(language: string): readonly string[] {
    const known = this.languages
    const closest = closestLanguage(known, language)
    return [...fallbacksOf(language).filter(tag => known.includes(tag)), ...(closest === undefined ? [] : [closest])]
  }
}

/** What svc says in English, where no generation says it otherwise. */
export const inEnglish: Say = new HostTexts().in("en")
