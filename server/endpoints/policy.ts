import type {Limits, RateLimit} from "../../shared/sdk/adapter/sender.ts"

/** How an endpoint sends, according to its adapter and its configuration. */
export interface Delivery {
  /** Does another attempt continue where a timed-out one ended? */
  readonly resumes: boolean
  readonly onUnknown: "hold" | "retry"
  /** How old a message without `notAfter` may be when it departs, in milliseconds; unlimited when left out. */
  readonly maxAge?: number
  readonly rates: readonly RateLimit[]
}

/** How one endpoint sends, for the outbox. */
export interface Policy extends Delivery {
  /** Does the platform drop a repeated send with the same id? */
  readonly idempotent: boolean
  readonly limits: Limits
  /** Does the platform show buttons? Otherwise the message ends with a numbered list. */
  readonly buttons?: boolean
  /** Does it show select menus? Otherwise their options are buttons. */
  readonly selects?: boolean
  /** Does it show forms? Otherwise the buttons that start them are shown. */
  readonly forms?: boolean
}

/** For an endpoint that the generation does not have. */
export const noPolicy: Policy = {idempotent: false, resumes: false, onUnknown: "hold", rates: [], limits: {}}
