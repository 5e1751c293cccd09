import type {EventType} from "./events.ts"

/** An event as clients get it; `data` is of the type's schema. */
export interface Envelope {
  readonly id: string
  readonly type: EventType
  readonly at: string
  readonly project: string
  readonly runtimeId: string
  /** 0 before the first generation of a run. */
  readonly generation: number
  readonly endpoint?: string
  readonly runId?: string
  readonly data: unknown
}

/** Why a cursor could not be continued exactly. */
export const streamGapReasons = ["epoch_changed", "evicted", "ahead", "malformed", "slow_consumer"] as const
export type StreamGapReason = (typeof streamGapReasons)[number]

/** What a client has missed: everything after `from`, up to and with `to`. The stream goes on after `resumeAt`. */
export interface StreamGap {
  readonly reason: StreamGapReason
  readonly from: string
  readonly to: string
  readonly resumeAt: string
}

/** The first event of every stream. */
export interface Hello {
  readonly epoch: string
  /** Id of the newest event. */
  readonly head: string
  /** Id of the oldest event that is kept; that of the next one where none is. */
  readonly oldest: string
  /** True when the stream goes on exactly where the client's cursor was. */
  readonly recovered: boolean
}

/** What could not be stored, told to live clients only: it has no id, and is in no history. */
export interface Notice {
  readonly what: "database_failing" | "database_recovered"
  /** Problem code. */
  readonly code?: string
  readonly message: string
  readonly since: string
}
