import type {Static, TSchema} from "../../type.ts"

/** Whose value it is: a user's or a channel's at one endpoint, or the plugin's. */
export type StateScope = "user" | "channel" | "plugin"

export interface StateOptions {
  /** Distinguishes several values of one scope. Required from the second value on. */
  readonly name?: string
}

/** One durable value that fits its schema. If nothing is stored, the schema's defaults are the value. */
export interface StateValue<T> {
  /** Returns the value. Throws `state_invalid` if the stored value does not fit the schema (any more). */
  get(): Promise<T>
  /** Stores a value. Throws `state_invalid` if it does not fit the schema or is longer than 64 KiB as JSON. */
  set(value: T): Promise<void>
  /** Stores the result of `change`, and resolves to it. */
  update(change: (value: T) => T): Promise<T>
  /** Deletes the stored value, so that the defaults apply. */
  delete(): Promise<void>
}

/** The user or channel that owns the value. */
export type StateSubject<S extends StateScope> = S extends "user"
  ? {readonly endpoint: string; readonly user: string}
  : S extends "channel"
    ? {readonly endpoint: string; readonly channel: string}
    : undefined

/** A value declared with `plugin.state`. */
export interface StateHandle<T, S extends StateScope = StateScope> {
  readonly scope: S
  readonly name: string
  /**
   * Returns the value of this subject, for code outside handlers. A write is durable when it resolves. Writing throws
   * `not_active` until the plugin is part of a committed generation.
   */
  of(...subject: S extends "plugin" ? [] : [StateSubject<S>]): StateValue<T>
}

/** `plugin.state`; see `Plugin`. */
export type DeclareState = <S extends StateScope, D extends TSchema>(
  scope: S,
  schema: D,
  options?: StateOptions,
) => StateHandle<Static<D>, S>
