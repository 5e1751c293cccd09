import type {Cooldown} from "../command.ts"
import type {Permission} from "../permission.ts"
import type {HandlerDefinition, Named, Reply, Session} from "../session.ts"

/** What stands between `(?<`, or `(?P<`, and `>` in a pattern that the compiler knows. */
type NamesAfter<
  Pattern extends string,
  Open extends string,
> = Pattern extends `${string}${Open}${infer Name}>${infer Rest}` ? Name | NamesAfter<Rest, Open> : never
type GroupNames<P extends string | RegExp> = P extends string
  ? string extends P
    ? string
    : NamesAfter<P, "(?<"> | NamesAfter<P, "(?P<">
  : string

/** Where a message matches a pattern. A group that took no part in the match is undefined. */
export interface Match<P extends string | RegExp = string> {
  /** The part of the message that matches. */
  readonly text: string
  /** The groups in their order: the first has the index 0. */
  readonly groups: readonly (string | undefined)[]
  /** The groups `(?<name>…)` by name. The compiler knows the names of a pattern that is a string. */
  readonly named: {readonly [Name in GroupNames<P>]: string | undefined}
}

export interface HearsCall<P extends string | RegExp = string> {
  readonly match: Match<P>
  readonly session: Session
}

/** What `hears` takes beside the handler. Who may not, or says it too early, gets no answer: nobody has called the bot. */
export interface HearsDefinition extends HandlerDefinition, Named {
  /** Whose messages the handler runs for; everybody's when left out. */
  readonly permission?: Permission
  /** How often the handler runs. */
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
