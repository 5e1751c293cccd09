import type {TextArguments} from "./values.ts"

export type {TextValue, TextValues} from "./values.ts"

/** Messages in ICU MessageFormat, by language (BCP 47) and key. */
export type TextTable = Readonly<Record<string, Readonly<Record<string, string>>>>

type Languages<T extends TextTable> = T[keyof T]

/** The keys of all languages. */
export type TextKey<T extends TextTable> = {readonly [L in keyof T]: keyof T[L]}[keyof T] & string

type MessageOf<T extends TextTable, K extends string> =
  Languages<T> extends infer L ? (L extends unknown ? (K extends keyof L ? L[K] & string : never) : never) : never

/** What stands behind a key: the values that its message takes. */
export type TextRest<T extends TextTable, K extends TextKey<T>> = TextArguments<MessageOf<T, K>>

/**
 * Says a message. Throws `text_unknown` for a key that no language has, `text_invalid` where a value is missing or of the wrong
 * type, and `not_active` in `setup` for a message that is more than text and names.
 */
export type SayText<T extends TextTable> = <K extends TextKey<T>>(key: K, ...values: TextRest<T, K>) => string

/** One text in each language: what `description` takes beside a plain text. */
export interface LocalText {
  in(language: string): string
}

/** A text in a language; one that is not local is the same in each. */
export const textIn = <T extends string | undefined>(text: T | LocalText, language: string): string | T =>
  typeof text === "object" ? text.in(language) : text

/** Texts as `plugin.texts` declared them. */
export interface Texts<T extends TextTable = TextTable> {
  /** As it was declared. */
  readonly table: T
  /**
   * For code that is not a handler: the texts in the first of these languages that has the key, each by what it falls back to
   * (`de-AT`, `de`); where none has it, in the first language of the table.
   */
  in(...languages: readonly string[]): SayText<T>
  /** A text in each language, for the `description` of a command or an option. */
  of<K extends TextKey<T>>(key: K, ...values: TextRest<T, K>): LocalText
}

/** `plugin.texts`; see `Plugin`. */
export type DeclareTexts = <const T extends TextTable>(texts: T) => Texts<T>
