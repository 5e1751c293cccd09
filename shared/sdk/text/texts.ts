import type {TextArguments} from "./values.ts"

export type {TextValue, TextValues, ZonedDate} from "./values.ts"

/** Messages in ICU MessageFormat, by language (BCP 47) and key. */
export type TextTable = Readonly<Record<string, Readonly<Record<string, string>>>>

type Languages<T extends TextTable> = T[keyof T]

/** The keys of all languages together. */
export type TextKey<T extends TextTable> = {readonly [L in keyof T]: keyof T[L]}[keyof T] & string

type MessageOf<T extends TextTable, K extends string> =
  Languages<T> extends infer L ? (L extends unknown ? (K extends keyof L ? L[K] & string : never) : never) : never

/** The arguments after a key: the values that its message accepts. */
export type TextRest<T extends TextTable, K extends TextKey<T>> = TextArguments<MessageOf<T, K>>

/**
 * Returns a message as text. Throws `text_unknown` for a key that no language has, and `text_invalid` if a value is
 * missing or has the wrong type. In `setup` it throws `not_active` for a message that is more than text and names.
 */
export type SayText<T extends TextTable> = <K extends TextKey<T>>(key: K, ...values: TextRest<T, K>) => string

/** A text in every language, which `description` accepts as well as plain text. */
export interface LocalText {
  in(language: string): string
}

/** Returns a text in a language. Plain text is the same in every language. */
export const textIn = <T extends string | undefined>(text: T | LocalText, language: string): string | T =>
  typeof text === "object" ? text.in(language) : text

/** Texts declared with `plugin.texts`. */
export interface Texts<T extends TextTable = TextTable> {
  /** The table as declared. */
  readonly table: T
  /**
   * For code outside handlers: returns the texts in the first of these languages that has the key, including each
   * language's fallbacks (`de-AT`, `de`), or else in the first language of the table.
   */
  in(...languages: readonly string[]): SayText<T>
  /** Returns a text in every language, for the `description` of a command or an option. */
  of<K extends TextKey<T>>(key: K, ...values: TextRest<T, K>): LocalText
}

/** `plugin.texts`; see `Plugin`. */
export type DeclareTexts = <const T extends TextTable>(texts: T) => Texts<T>
