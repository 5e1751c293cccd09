/** A date that a message shows in an IANA timezone, such as `Europe/Berlin`; `at` is a Date or milliseconds since 1970. */
export interface ZonedDate {
  readonly at: Date | number
  readonly timezone: string
}

/**
 * A value of a message: text or number for `{name}`, number for a plural. A date is a Date or milliseconds since 1970,
 * in UTC, or a `ZonedDate`. Text is never markup.
 */
export type TextValue = string | number | Date | ZonedDate
export type TextValues = Readonly<Record<string, TextValue>>

/** Cuts at the next brace: the text before it, the brace, and the rest. */
type Cut<S extends string> = S extends `${infer Before}{${infer After}`
  ? Before extends `${infer Sooner}}${infer Rest}`
    ? [Sooner, "}", `${Rest}{${After}`]
    : [Before, "{", After]
  : S extends `${infer Before}}${infer After}`
    ? [Before, "}", After]
    : [S, "", ""]

type Trim<S extends string> = S extends ` ${infer Rest}` | `${infer Rest} ` | `\n${infer Rest}` | `${infer Rest}\n`
  ? Trim<Rest>
  : S

type First<S extends string> = Trim<S extends `${infer Word},${string}` ? Word : S>

interface Formats {
  readonly number: number
  readonly plural: number
  readonly selectordinal: number
  readonly date: Date | number | ZonedDate
  readonly time: Date | number | ZonedDate
  readonly select: string
}

/** Reads an argument: `count, plural, one ` is `{count: number}`. */
type Argument<Inner extends string> = Inner extends `${infer Name},${infer Format}`
  ? {readonly [K in Trim<Name>]: First<Format> extends keyof Formats ? Formats[First<Format>] : TextValue}
  : {readonly [K in Trim<Inner>]: string | number}

/** `Stack` tracks where a brace is: in the text of a message, or between the choices of a plural. */
type Read<S extends string, Stack extends readonly ("text" | "choices")[], Found> =
  Cut<S> extends [string, infer Brace, infer After extends string]
    ? Brace extends ""
      ? Found
      : Brace extends "}"
        ? Stack extends readonly [unknown, ...infer Outer extends readonly ("text" | "choices")[]]
          ? Read<After, Outer, Found>
          : Found
        : Stack extends readonly ["choices", ...unknown[]]
          ? Read<After, ["text", ...Stack], Found>
          : Cut<After> extends [infer Inner extends string, infer Next, infer Rest extends string]
            ? Next extends "}"
              ? Read<Rest, Stack, Found & Argument<Inner>>
              : Read<`{${Rest}`, ["choices", ...Stack], Found & Argument<Inner>>
            : Found
    : Found

type Quoted = `${string}'{${string}` | `${string}'}${string}`

/** The values of a message, if the compiler can read it; otherwise any values. */
type ValuesOf<Message extends string> = Message extends unknown
  ? string extends Message
    ? TextValues
    : Message extends Quoted
      ? TextValues
      : Read<Message, [], unknown>
  : never

/** The intersection of all members of a union. */
type All<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer Whole) => void
  ? Whole
  : never

/** The values that these messages accept, as the arguments after a key; none if they accept none. */
export type TextArguments<Message extends string> = [string] extends [Message]
  ? [values?: TextValues]
  : keyof All<ValuesOf<Message>> extends never
    ? []
    : [values: All<ValuesOf<Message>>]
