import {filling} from "./message.ts"

/** A text: one string, several, or a message that needs values. */
export type Text = string | readonly string[] | ((...values: never[]) => string)

/**
 * Texts as a JSON file has them. A key with names, such as `gone(agent, #runs)`, has a message that needs these values
 * in this order; a name after `#` is a number.
 */
export interface Words {
  readonly [key: string]: string | readonly string[] | Words
}

type Values<Names extends string> = Names extends `${infer First}, ${infer Others}`
  ? [...Values<First>, ...Values<Others>]
  : [Names extends `#${string}` ? number : string]

/** The texts that a page reads: `gone(agent, #runs)` is a function `gone`. */
export type Catalogue<T> = T extends string
  ? string
  : T extends readonly string[]
    ? readonly string[]
    : {
        readonly [K in keyof T as K extends `${infer Name}(${string}` ? Name : K]: K extends `${string}(${infer Names})`
          ? (...values: Values<Names>) => string
          : Catalogue<T[K]>
      }

/** Texts, of which some may be missing. */
export type Lacking<T> = T extends Text ? T : {readonly [K in keyof T]?: Lacking<T[K]>}

export const isGroup = (said: Words[string]): said is Words => typeof said === "object" && !Array.isArray(said)

const read = (words: Words, fill: ReturnType<typeof filling>): object =>
  Object.fromEntries(
    Object.entries(words).map(([key, said]) => {
      if (isGroup(said)) return [key, read(said, fill)]
      const [name = "", names] = key.replaceAll("#", "").split(/[()]/)
      if (names === undefined || typeof said !== "string") return [key, said]
      const order = names.split(", ")
      const say = (...values: (string | number)[]) =>
        fill(said, Object.fromEntries(order.map((each, index) => [each, values[index] ?? ""])))
      return [name, say]
    }),
  )

/** Returns the texts of a language by page; those of `shell` are beside the pages. */
export const readCatalogue = <T extends {readonly shell: Words}>(
  {shell, ...pages}: T,
  locale: string,
): Catalogue<T["shell"] & Omit<T, "shell">> =>
  read({...shell, ...pages} as Words, filling(locale)) as Catalogue<T["shell"] & Omit<T, "shell">>
