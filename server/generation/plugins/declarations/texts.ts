import {isObject} from "../../../../shared/json.ts"
import {closestLanguage, fallbacksOf, languageTag, noLanguage} from "../../../../shared/language.ts"
import {messageOf, Problem} from "../../../../shared/problems.ts"
import type {Texts, TextTable, TextValues} from "../../../../shared/sdk/text/texts.ts"
import {BoundedMap} from "../../../runtime/bounded-map.ts"
import {type Message, parseMessage, plainMessage} from "../../../runtime/text/message.ts"
import {didYouMean} from "../../../runtime/text/suggest.ts"

interface Language {
  readonly texts: ReadonlyMap<string, string>
  readonly messages: Map<string, Message>
}

/** The most remembered requested languages, with their closest matches. */
const mostLanguages = 100

/** The texts of one call of `plugin.texts`. */
export class DeclaredTexts {
  /** Canonical tags, in the order of the table. */
  readonly #languages: ReadonlyMap<string, Language>
  readonly #closest = new BoundedMap<string, readonly string[]>(mostLanguages)
  /** The stack of the call in `setup`, where later findings are reported. */
  readonly #stack: string

  /** Throws if `table` is not a valid table of texts. */
  constructor(table: unknown) {
    this.#stack = new Error("texts()").stack ?? ""
    this.#languages = readTable(table)
  }

  get languages(): readonly string[] {
    return [...this.#languages.keys()]
  }

  get keys(): ReadonlySet<string> {
    return new Set([...this.#languages.values()].flatMap(({texts}) => [...texts.keys()]))
  }

  /** Parses every message. Rejects with the first invalid one, as an error of the line that called `texts`. */
  async load(): Promise<void> {
    for (const [tag, {texts, messages}] of this.#languages)
      for (const [key, text] of texts)
        if (!messages.has(key))
          messages.set(key, await parseMessage(text, tag).catch(why => this.#refuse(tag, key, why)))
  }

  /** Notes for people after loading: missing texts, and values that only one language needs. */
  get notes(): readonly string[] {
    const keys = [...this.keys]
    return [...this.#languages].flatMap(([tag, {messages}]) => {
      const lacks = keys.filter(key => !messages.has(key))
      return [
        ...(lacks.length === 0 ? [] : [`${tag} lacks ${lacks.join(", ")}: svc uses another language for it`]),
        ...keys.flatMap(key => this.#strangeValues(tag, key)),
      ]
    })
  }

  /** Returns an error of the line that called `texts`. */
  errorThere(message: string): Error {
    const error = new Error(message)
    error.stack = `Error: ${message}\n${this.#stack.slice(this.#stack.indexOf("\n") + 1)}`
    return error
  }

  /** Throws `text_unknown`, `text_invalid`, `not_active`. */
  say(languages: readonly string[], key: string, values: unknown = {}): string {
    const [tag, message] = this.#find(languages, key)
    if (!isObject(values))
      throw new Problem("text_invalid", `${tag}.${key}: its values are ${typeof values}; pass an object: {name: value}`)
    try {
      return message.format(values as TextValues)
    } catch (error) {
      throw new Problem("text_invalid", `${tag}.${key}: ${messageOf(error)}`, {cause: error})
    }
  }

  #find(languages: readonly string[], key: string): readonly [string, Message] {
    for (const tag of this.#inOrder(languages)) {
      const message = this.#languages.get(tag)?.messages.get(key)
      if (message !== undefined) return [tag, message]
    }
    if (this.keys.has(key)) throw new Problem("not_active", `the text "${key}" is available only after setup has ended`)
    throw unknownText(key, [...this.keys])
  }

  *#inOrder(languages: readonly string[]): Generator<string> {
    for (const language of languages) {
      if (this.#languages.has(language)) yield language
      yield* this.#closestTo(language)
    }
    yield* this.#languages.keys()
  }

  /** Returns the fallbacks of a language among these texts, the closest first. */
  #closestTo(language: string): readonly string[] {
    const known = this.#closest.get(language)
    if (known !== undefined) return known
    const wanted = languageTag(language)
    if (wanted === undefined) throw new Problem("text_invalid", noLanguage(String(language)))
    const found = [...fallbacksOf(wanted), closestLanguage(this.languages, wanted) ?? ""]
    const closest = found.filter(tag => this.#languages.has(tag))
    this.#closest.set(language, closest)
    return closest
  }

  #strangeValues(tag: string, key: string): readonly string[] {
    const own = this.#languages.get(tag)?.messages.get(key)
    const [first] = this.#languages.keys()
    const model = this.#languages.get(first ?? "")?.messages.get(key)
    if (own === undefined || model === undefined) return []
    const strange = [...own.names].filter(name => !model.names.has(name)).map(name => `{${name}}`)
    return strange.length === 0 ? [] : [`${tag}.${key} needs ${strange.join(", ")}, which ${first}.${key} does not`]
  }

  #refuse(tag: string, key: string, why: unknown): never {
    throw this.errorThere(`texts(): ${tag}.${key} is not a valid message: ${messageOf(why)}`)
  }
}

/** Returns the error for a key that no language has. */
export const unknownText = (key: string, keys: readonly string[]): Problem =>
  new Problem(
    "text_unknown",
    `no language has a text "${key}"${didYouMean(key, keys)}; the keys are ${keys.join(", ") || "none: call plugin.texts"}`,
  )

/** Checks what the type forbids, because plugins may be JavaScript. */
const readTable = (table: unknown): ReadonlyMap<string, Language> => {
  if (!isObject(table) || Object.keys(table).length === 0)
    throw new TypeError("texts() needs messages by language and key: {en: {hello: …}}")
  const languages = new Map<string, Language>()
  for (const [language, texts] of Object.entries(table)) {
    const tag = languageTag(language)
    if (tag === undefined) throw new Error(`texts(): ${noLanguage(language)}`)
    if (languages.has(tag)) throw new Error(`texts(): the language ${tag} is given twice`)
    if (!isObject(texts)) throw new TypeError(`texts(): ${language} needs messages by key`)
    languages.set(tag, readLanguage(language, texts))
  }
  return languages
}

const readLanguage = (language: string, given: Readonly<Record<string, unknown>>): Language => {
  const texts = new Map<string, string>()
  const messages = new Map<string, Message>()
  for (const [key, text] of Object.entries(given)) {
    if (typeof text !== "string")
      throw new TypeError(`texts(): ${language}.${key} is ${typeof text}; a message must be text`)
    texts.set(key, text)
    const simple = plainMessage(text)
    if (simple !== undefined) messages.set(key, simple)
  }
  return {texts, messages}
}

/** Returns the result of `plugin.texts`. */
export const textsHandle = <T extends TextTable>(declared: DeclaredTexts, table: T): Texts<T> => ({
  table,
  in:
    (...languages) =>
    (key, ...[values]) =>
      declared.say(languages, key, values),
  of: (key, ...[values]) => ({in: language => declared.say([language], key, values)}),
})
