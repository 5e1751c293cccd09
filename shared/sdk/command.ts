/** The value types that a command pattern may name: `<name:string>`. `text` takes the rest of the line as it stands. */
export interface ArgumentTypes {
  string: string
  text: string
  number: number
  integer: number
  boolean: boolean
}
export type ArgumentType = keyof ArgumentTypes

type ValueOf<Kind extends string> = Kind extends ArgumentType ? ArgumentTypes[Kind] : string

type Named<Inner extends string> = Inner extends `${infer Name}:${infer Kind}`
  ? {name: Name; value: ValueOf<Kind>}
  : {name: Inner; value: string}

type Required<Inner extends string> = {[K in Named<Inner>["name"]]: Named<Inner>["value"]}
type Optional<Inner extends string> = {[K in Named<Inner>["name"]]?: Named<Inner>["value"]}

/** The arguments of a pattern: `Arguments<"greet <name:string> [times:integer]">` is `{name: string; times?: number}`. */
export type Arguments<Pattern extends string> = Pattern extends `${string}<${infer Inner}>${infer Rest}`
  ? Required<Inner> & Arguments<Rest>
  : Pattern extends `${string}[${infer Inner}]${infer Rest}`
    ? Optional<Inner> & Arguments<Rest>
    : unknown

/** What a pattern names as types and are none; `never` for a sound pattern. */
type WrongType<Pattern extends string> = Pattern extends `${string}<${infer Inner}>${infer Rest}`
  ? WrongTypeOf<Inner> | WrongType<Rest>
  : Pattern extends `${string}[${infer Inner}]${infer Rest}`
    ? WrongTypeOf<Inner> | WrongType<Rest>
    : never
type WrongTypeOf<Inner extends string> = Inner extends `${string}:${infer Kind}`
  ? Kind extends ArgumentType
    ? never
    : Kind
  : never

/** Nothing more than the pattern, where all its types are types of arguments; else what no pattern is. */
export type CheckedPattern<Pattern extends string> = [WrongType<Pattern>] extends [never]
  ? unknown
  : {readonly noArgumentType: WrongType<Pattern>}

export interface OptionDefinition {
  readonly type: "string" | "number" | "integer" | "boolean"
  /** One letter, for `-l`. */
  readonly short?: string
  readonly description?: string
}

type OptionValue<O extends OptionDefinition> = ArgumentTypes[O["type"]]
export type Options<O extends Record<string, OptionDefinition>> = {readonly [K in keyof O]?: OptionValue<O[K]>}

/**
 * How often a command may be called. Who calls too early is told so once; the command does not run. Kept in memory: a
 * restart of the Host forgets it, a reload does not.
 */
export interface Cooldown {
  /** Whose calls count together, within one endpoint: a user's, a channel's; or those of everyone, everywhere. */
  readonly per: "user" | "channel" | "everyone"
  readonly seconds: number
}
