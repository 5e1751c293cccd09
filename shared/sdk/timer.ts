import type {TSchema} from "../type.ts"

/**
 * When a timer fires. `at` is a Date or milliseconds since 1970; `in` and `every` are milliseconds, `every` from a second to
 * a hundred years; `cron` has five fields (minute hour day month weekday), or six with seconds first, in a timezone of IANA.
 */
export type When =
  | {readonly at: Date | number}
  | {readonly in: number}
  | {readonly every: number}
  | {readonly cron: string; readonly timezone: string}

/** A timer as `plugin.timer` declared it; it carries the type of its data. */
export interface TimerHandle<D = unknown> {
  readonly name: string
  /** Only a type: there is no value. */
  readonly data?: D
}

export interface TimerDefinition<D extends TSchema = TSchema> {
  /** The schema of what is kept with each timer; checked when it is set, and again when it fires. */
  readonly data?: D
  /**
   * What becomes of a timer whose time passed while the Host was stopped or ingress was paused: it fires `once` as soon as
   * it can (when left out), or is `skip`ped where it is more than a minute late. A recurring one goes on with its next time.
   */
  readonly missed?: "once" | "skip"
  /** A handler that throws is run again so often (at most 10), after growing pauses. */
  readonly retries?: number
}

export interface TimerOptions {
  /** At most 200 characters. A timer of the plugin under the same key is replaced; `clearTimer` takes it. */
  readonly key?: string
}

/** Where a timer that is set outside a handler belongs: `session.send` of its handler goes there. */
export interface TimerPlace {
  readonly endpoint: string
  readonly channel?: string
  readonly user?: string
}
