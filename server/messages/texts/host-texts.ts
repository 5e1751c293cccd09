import {closestLanguage, fallbacksOf} from "../../../shared/language.ts"
import type {LocalText, TextValues} from "../../../shared/sdk/text/texts.ts"
import {keyOf} from "../../../shared/sdk/text/typed.ts"
import {type Message, plainMessage} from "../../runtime/text/message.ts"
import {builtInTables, type HostTable, type HostText} from "./tables.ts"

/** Returns one of svc's texts in one language. */
export type Say = (key: HostText, values?: TextValues) => string

/** A project's own texts, by language and key. They override svc's. */
export type OwnTexts = ReadonlyMap<string, ReadonlyMap<string, Message>>

const tables: Readonly<Record<string, HostTable>> = builtInTables

/** The messages of svc's own tables by their texts, read at first use. */
const builtIn = new Map<string, Message>()

const readBuiltIn = (text: string): Message => {
  const message = builtIn.get(text) ?? plainMessage(text)
  if (message === undefined) throw new Error(`a text of svc is text and names alone: ${text}`)
  builtIn.set(text, message)
  return message
}

export const isHostText = (key: string): key is HostText => Object.hasOwn(builtInTables.en, key)

/** svc's chat texts, in the languages of the built-in tables and of the project. */
export class HostTexts {
  readonly #own: OwnTexts
  readonly #fallback: string
  readonly #says = new Map<string, Say>()
  #cancelWords: ReadonlySet<string> | undefined

  /** `fallback` is the language for texts that another language lacks. English is used for texts that it lacks too. */
  constructor(own: OwnTexts = new Map(), fallback = "en") {
    this.#own = own
    this.#fallback = fallback
  }

  get languages(): readonly string[] {
    return [...new Set([...this.#own.keys(), ...Object.keys(builtInTables)])]
  }

  in(language: string): Say {
    const known = this.#says.get(language)
    if (known !== undefined) return known
    const order = [...this.#closest(language), ...this.#closest(this.#fallback), "en"]
    const say: Say = (key, values = {}) => {
      for (const tag of order) {
        const own = this.#own.get(tag)?.get(key)
        const text = tables[tag]?.[key]
        const message = own ?? (text === undefined ? undefined : readBuiltIn(text))
        if (message !== undefined) return message.format(values)
      }
      return key
    }
    this.#says.set(language, say)
    return say
  }

  /** Returns a text in every language, for the description of a command. */
  of(key: HostText): LocalText {
    return {in: language => this.in(language)(key)}
  }

  /** The keys of the words that cancel a question without its own word, in every language, because people mix them. */
  get cancelWords(): ReadonlySet<string> {
    this.#cancelWords ??= this.wordsOf("prompt.cancel")
    return this.#cancelWords
  }

  /** Returns the keys of a word in every language. */
  wordsOf(key: HostText): ReadonlySet<string> {
    return new Set(this.languages.map(language => keyOf(this.in(language)(key))))
  }

  #closest(language: string): readonly string[] {
    const known = this.languages
    const closest = closestLanguage(known, language)
    return [...fallbacksOf(language).filter(tag => known.includes(tag)), ...(closest === undefined ? [] : [closest])]
  }
}

/** svc's texts, for code without a generation. */
export const builtInTexts = new HostTexts()
export const inEnglish: Say = builtInTexts.in("en")
