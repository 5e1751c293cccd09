import type {Cooldown} from "../session/command.ts"
import type {EventFilter, HandlerDefinition, Named} from "../session/handler.ts"
import type {Permission} from "../session/permission.ts"
import type {Reply, Session} from "../session/session.ts"

/** The group names in a pattern that the compiler knows: the text between `(?<`, or `(?P<`, and `>`. */
type NamesAfter<
  Pattern extends string,
  Open extends string,
> = Pattern extends `${string}${Open}${infer Name}>${infer Rest}` ? Name | NamesAfter<Rest, Open> : never
type GroupNames<P extends string | RegExp> = P extends string
  ? string extends P
    ? string
    : NamesAfter<P, "(?<"> | NamesAfter<P, "(?P<">
  : string

/** The match of a message. A group that did not take part in the match is undefined. */
export interface Match<P extends string | RegExp = string> {
  /** The matching part of the message. */
  readonly text: string
  /** The groups in order. The first has the index 0. */
  readonly groups: readonly (string | undefined)[]
  /** The groups `(?<name>…)` by name. The compiler knows the names in a pattern that is a string. */
  readonly named: {readonly [Name in GroupNames<P>]: string | undefined}
}

export interface HearsCall<P extends string | RegExp = string> {
  readonly match: Match<P>
  readonly session: Session
}

/** The options of `hears`. A user without permission, or in the cooldown, gets no reply: nobody called the bot. */
export interface HearsDefinition extends HandlerDefinition, Named, EventFilter {
  /** The permission that the user needs; everybody's messages when left out. */
  readonly permission?: Permission
  /** How often the handler may run. */
  readonly cooldown?: Cooldown
}

/** `plugin.hears`; see `Plugin`. */
export interface DeclareHears {
  <const P extends string | RegExp>(pattern: P, handler: (call: HearsCall<NoInfer<P>>) => Reply): void
  <const P extends string | RegExp>(
    pattern: P,
    definition: HearsDefinition,
    handler: (call: HearsCall<NoInfer<P>>) => Reply,
  ): void
}
