import type {en} from "./en.ts"

/** The table of any language: the same keys and arguments, other words. */
type Said<T> = T extends string
  ? string
  : T extends (...given: infer Given) => string
    ? (...given: Given) => string
    : T extends readonly string[]
      ? readonly string[]
      : {readonly [Key in keyof T]: Said<T[Key]>}

/** Every text of the console. */
export type Texts = Said<typeof en>

/** Texts, of which some may be missing. */
export type Lacking<T> = T extends string | readonly string[] | ((...given: never) => string)
  ? T
  : {readonly [Key in keyof T]?: Lacking<T[Key]>}

/** A part of a table, by its key. */
export type Part<Key extends keyof Texts> = Lacking<Texts[Key]>
