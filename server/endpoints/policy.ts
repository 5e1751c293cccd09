import type {Limits, RateLimit} from "../../shared/sdk/adapter/sender.ts"

/** How an endpoint sends, by its adapter and its configuration. */
export interface Delivery {
  /** Does another attempt go on where one that ran out of time ended? */
  readonly resumes: boolean
  readonly onUnknown: "hold" | "retry"
  readonly rates: readonly RateLimit[]
}

/** How one endpoint sends, as the outbox asks it. */
export interface Policy extends Delivery {
  /** Does the platform drop a repeated send with the same id? */
  readonly idempotent: boolean
  readonly limits: Limits
  /** Does the platform show buttons? Else the message ends with a numbered list. */
  readonly buttons?: boolean
  /** Does it show select menus? Else their options are buttons. */
  readonly selects?: boolean
  /** Does it show forms? Else they are the buttons that begin them. */
  readonly forms?: boolean
}

/** Of an endpoint that the generation does not have. */
export const noPolicy: Policy = {idempotent: false, resumes: false, onUnknown: "hold", rates: [], limits: {}}
