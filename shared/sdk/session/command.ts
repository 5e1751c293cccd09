import type {LocalText} from "../text/texts.ts"

/**
 * The value types of a command pattern: `<name:string>`. `text` takes the rest of the line unchanged. A pattern may
 * also have choices (`<color:red|green>`), lists in one word (`<ids:integer[]>`), and the remaining words as a list
 * (`<names:string...>`).
 */
export interface ArgumentTypes {
  string: string
  text: string
  number: number
  integer: number
  boolean: boolean
}
export type ArgumentType = keyof ArgumentTypes

/** One value of a type, or one of the choices of `red|green|blue`. */
type One<Kind extends string> = Kind extends ArgumentType
  ? ArgumentTypes[Kind]
  : Kind extends `${string}|${string}`
    ? Choice<Kind>
    : string
type Choice<Kind extends string> = Kind extends `${infer First}|${infer More}` ? First | Choice<More> : Kind

/** At least one value. */
type Some<T> = readonly [T, ...T[]]

/** The value of an argument that is required, has a default, or is optional and present. */
type ValueOf<Kind extends string> = Kind extends `${infer Each}[]`
  ? Some<One<Each>>
  : Kind extends `${infer Each}...`
    ? Some<One<Each>>
    : One<Kind>

interface Written {
  readonly name: string
  readonly kind: string
  readonly is: "required" | "optional" | "default"
  readonly fallback: string
}

/** Reads one argument from the text in its brackets. Without a type it is a string. */
type Read<
  Spec extends string,
  Is extends Written["is"],
  Fallback extends string = "",
> = Spec extends `${infer Name}:${infer Kind}`
  ? {name: Name; kind: Kind; is: Is; fallback: Fallback}
  : Spec extends `${infer Name}...`
    ? {name: Name; kind: "string..."; is: Is; fallback: Fallback}
    : Spec extends `${infer Name}[]`
      ? {name: Name; kind: "string[]"; is: Is; fallback: Fallback}
      : {name: Spec; kind: "string"; is: Is; fallback: Fallback}

/** Reads the arguments of a pattern, in order. */
type ReadAll<Pattern extends string> = Pattern extends `${infer Before}<${infer After}`
  ? Before extends `${string}[${string}`
    ? ReadOptional<Pattern>
    : After extends `${infer Inner}>${infer Rest}`
      ? [Read<Inner, "required">, ...ReadAll<Rest>]
      : []
  : ReadOptional<Pattern>
type ReadOptional<Pattern extends string> = Pattern extends `${string}[${infer After}`
  ? After extends `${infer Inner}]${infer Rest}`
    ? Inner extends `${string}=${string}`
      ? ReadDefault<After>
      : Inner extends `${string}[`
        ? Rest extends `]${infer More}`
          ? [Read<`${Inner}]`, "optional">, ...ReadAll<More>]
          : ReadDefault<After>
        : [Read<Inner, "optional">, ...ReadAll<Rest>]
    : []
  : []
/** A quoted default may contain any brackets. */
type ReadDefault<After extends string> = After extends `${infer Spec}=${infer Value}`
  ? Value extends `"${string}"]${infer Rest}`
    ? [Read<Spec, "default">, ...ReadAll<Rest>]
    : Value extends `'${string}']${infer Rest}`
      ? [Read<Spec, "default">, ...ReadAll<Rest>]
      : Value extends `${infer Plain}]${infer Rest}`
        ? [Read<Spec, "default", Plain>, ...ReadAll<Rest>]
        : []
  : []

type ArgumentOf<Of extends Written> = Of extends {is: "optional"}
  ? Of extends {kind: `${infer Each}...`}
    ? {[K in Of["name"]]: readonly One<Each>[]}
    : {[K in Of["name"]]?: ValueOf<Of["kind"]>}
  : {[K in Of["name"]]: ValueOf<Of["kind"]>}

type ArgumentsOf<All extends readonly Written[]> = All extends readonly [
  infer First extends Written,
  ...infer More extends readonly Written[],
]
  ? ArgumentOf<First> & ArgumentsOf<More>
  : unknown

/**
 * The arguments of a pattern: `Arguments<"greet <name:string> [times:integer]">` is `{name: string; times?: number}`.
 * An argument with a default is always present, and so is the list of `[names:string...]`.
 */
export type Arguments<Pattern extends string> = ArgumentsOf<ReadAll<Pattern>>

/** The invalid type or default of an argument; `never` if both are valid. */
type Wrong<Of extends Written> = Of extends {kind: `${infer Each}[]`}
  ? WrongIn<Each, Of["kind"]>
  : Of extends {kind: `${infer Each}...`}
    ? WrongIn<Each, Of["kind"]>
    : Of["kind"] extends ArgumentType
      ? WrongDefault<Of>
      : Of["kind"] extends `${string}|${string}`
        ? WrongDefault<Of>
        : Of["kind"]
type WrongIn<Each extends string, Kind extends string> = Each extends "text"
  ? Kind
  : Each extends ArgumentType | `${string}|${string}`
    ? never
    : Kind
type WrongDefault<Of extends Written> = Of extends {fallback: ""}
  ? never
  : Of["fallback"] extends `${One<Of["kind"]>}`
    ? never
    : Of["kind"] extends "boolean"
      ? never
      : `${Of["kind"]}=${Of["fallback"]}`

type WrongType<All extends readonly Written[]> = All extends readonly [
  infer First extends Written,
  ...infer More extends readonly Written[],
]
  ? Wrong<First> | WrongType<More>
  : never

/** Adds nothing to a pattern with valid types, otherwise a property that no pattern has: the compilation fails. */
export type CheckedPattern<Pattern extends string> = [WrongType<ReadAll<Pattern>>] extends [never]
  ? unknown
  : {readonly noArgumentType: WrongType<ReadAll<Pattern>>}

interface OptionOf<Name extends string, Value> {
  readonly type: Name
  /** One letter, such as `l` for `-l`. */
  readonly short?: string
  readonly description?: string | LocalText
  /** The allowed values. */
  readonly choices?: readonly Value[]
}

/**
 * An option of a command, such as `--label`.
 *
 * - With `default`, the option always has a value.
 * - With `list`, users may repeat the option, and its value is a list. The list is empty if there is neither a value
 *   nor a default.
 * - A boolean option whose default is `true` is turned off with `--no-<name>`.
 */
export type OptionDefinition =
  | Taking<OptionOf<"string", string>, string>
  | Taking<OptionOf<"number" | "integer", number>, number>
  | (Omit<OptionOf<"boolean", boolean>, "choices"> & {
      readonly default?: boolean
      readonly choices?: never
      readonly list?: never
    })
type Taking<Option, Value> = Option &
  ({readonly list?: false; readonly default?: Value} | {readonly list: true; readonly default?: readonly Value[]})

type OptionOne<O extends OptionDefinition> = O extends {readonly choices: readonly (infer Each)[]}
  ? Each
  : ArgumentTypes[O["type"]]
type OptionValue<O extends OptionDefinition> = O extends {readonly list: true} ? readonly OptionOne<O>[] : OptionOne<O>

type AlwaysThere<O extends Record<string, OptionDefinition>> = {
  [K in keyof O]: O[K] extends {readonly default: unknown} | {readonly list: true} ? K : never
}[keyof O]
export type Options<O extends Record<string, OptionDefinition>> = {
  readonly [K in Exclude<keyof O, AlwaysThere<O>>]?: OptionValue<O[K]>
} & {readonly [K in AlwaysThere<O>]: OptionValue<O[K]>}

/**
 * How often a command may be called. A user who calls it too early gets one refusal, and the command does not run.
 * From 60 seconds up, the cooldown of a call that did not fail survives a restart of the Host.
 */
export interface Cooldown {
  /** Whose calls count together: those of one user or channel at an endpoint, or of everyone everywhere. */
  readonly per: "user" | "channel" | "everyone"
  readonly seconds: number
}
