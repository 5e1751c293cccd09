import type {Static, TSchema} from "../type.ts"

/** Whose value it is: a user's or a channel's at one endpoint, or the plugin's own. */
export type StateScope = "user" | "channel" | "plugin"

export interface StateOptions {
  /** Tells several values of one scope apart; needed for the second one. */
  readonly name?: string
}

/** One durable value. What is stored fits the schema; where nothing is stored, the schema's defaults are the value. */
export interface StateValue<T> {
  /** Throws `state_invalid` where what is stored does not fit the schema (any more). */
  get(): Promise<T>
  /** Throws `state_invalid` where the value does not fit the schema, or is longer than 64 KiB as JSON. */
  set(value: T): Promise<void>
  /** Stores what `change` makes of the value, and resolves to it. */
  update(change: (value: T) => T): Promise<T>
  /** Back to the defaults. */
  delete(): Promise<void>
}

/** Who has the value. */
export type StateSubject<S extends StateScope> = S extends "user"
  ? {readonly endpoint: string; readonly user: string}
  : S extends "channel"
    ? {readonly endpoint: string; readonly channel: string}
    : undefined

/** A value as `plugin.state` declared it. */
export interface StateHandle<T, S extends StateScope = StateScope> {
  readonly scope: S
  readonly name: string
  /**
   * The value of this subject, for code that is not a handler: what it writes is durable when it resolves. Writing throws
   * `not_active` before the plugin is part of a committed generation.
   */
  of(...subject: S extends "plugin" ? [] : [StateSubject<S>]): StateValue<T>
}

/** `plugin.state`; see `Plugin`. */
export type DeclareState = <S extends StateScope, D extends TSchema>(
  scope: S,
  schema: D,
  options?: StateOptions,
) => StateHandle<Static<D>, S>
