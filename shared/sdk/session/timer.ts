import type {TSchema} from "../../type.ts"
import type {HandlerDefinition} from "./handler.ts"

/**
 * When a timer fires:
 *
 * - `at` is a Date or milliseconds since 1970.
 * - `in` and `every` are milliseconds; `every` is between a second and a hundred years.
 * - `cron` has five fields (minute hour day month weekday), or six with seconds first, in an IANA timezone.
 */
export type When =
  | {readonly at: Date | number}
  | {readonly in: number}
  | {readonly every: number}
  | {readonly cron: string; readonly timezone: string}

export interface TimerDefinition<D extends TSchema = TSchema> extends Pick<HandlerDefinition, "retries" | "order"> {
  /** The schema of the data kept with each timer. svc checks it when the timer is set and again when it fires. */
  readonly data?: D
  /**
   * What to do with a timer whose time passed while the Host was stopped or ingress was paused. `once` (the default)
   * fires it as soon as possible. `skip` skips it if it is more than a minute late. A recurring timer continues with
   * its next time.
   */
  readonly missed?: "once" | "skip"
  /** A firing that is later than this, such as `10m`, does not run: it ends as `expired`. Unlimited when left out. */
  readonly maxLate?: string
}

/** A timer of the plugin that fires again, or waits for an operator. */
export interface ListedTimer<D = unknown> {
  readonly id: string
  /** The key under which it was set; undefined without one. */
  readonly key: string | undefined
  /** When it fires next, in milliseconds since 1970. */
  readonly due: number
  /** Does it fire again after that? */
  readonly repeats: boolean
  readonly data: D
  /** `held` until an operator releases it; `failed` if its handler or data did not fit when it was due. */
  readonly state: "waiting" | "held" | "failed"
}

/** How a timer fired. */
export interface TimerFired {
  /** How long after its due time the handler runs, in milliseconds. */
  readonly lateBy: number
}

export interface TimerOptions {
  /** A key of at most 200 characters. A timer replaces the plugin's one with its key; `clearTimer` accepts the key. */
  readonly key?: string
}

/** The conversation of a timer that is set outside a handler: `session.send` in its handler sends there. */
export interface TimerPlace {
  readonly endpoint: string
  readonly channel?: string
  readonly user?: string
}
