import type {StreamGapReason} from "../../shared/api/event-stream.ts"
import {parseEventId} from "../../shared/event-id.ts"
import type {Extent} from "./log.ts"

/** Where a client continues: exactly behind an offset, or elsewhere with a gap. */
export type Resumption =
  | {readonly is: "fresh"}
  | {readonly is: "resumed"; readonly after: number}
  | {readonly is: "gap"; readonly reason: Exclude<StreamGapReason, "slow_consumer">}

/** Continues a cursor if all later events are still in the log of its epoch. No cursor means to begin now. */
export const resume = (cursor: string | undefined, epoch: string, {head, evictedTo}: Extent): Resumption => {
  if (cursor === undefined || cursor === "") return {is: "fresh"}
  const id = parseEventId(cursor)
  if (id === undefined) return {is: "gap", reason: "malformed"}
  if (id.epoch !== epoch) return {is: "gap", reason: "epoch_changed"}
  if (id.offset > head) return {is: "gap", reason: "ahead"}
  if (id.offset < evictedTo) return {is: "gap", reason: "evicted"}
  return {is: "resumed", after: id.offset}
}

/** Returns a cursor for an answer, cut, since a forged one may be long. */
export const quoted = (cursor: string): string => cursor.slice(0, 128)
