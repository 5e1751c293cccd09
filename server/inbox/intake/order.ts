import type {HandlerOrder} from "../../../shared/sdk/session/handler.ts"
import {endpointOfLane} from "../../outbox/rows.ts"
import type {Dispatch} from "./handling.ts"

/** What the lanes of an event depend on. */
export interface Placed {
  /** Its endpoint and channel. */
  readonly conversation: string
  readonly user: string | undefined
  /** The platform's id, as stored: the same in each run, so that what is left of an event waits for what runs. */
  readonly id: string
}

/** Handlers of one event that run together, when it is the event's turn in a lane. */
export interface Group {
  readonly lane: string
  readonly handlers: readonly string[]
}

const strictest = (orders: readonly HandlerOrder[]): HandlerOrder =>
  (["channel", "user", "none"] as const).find(order => orders.includes(order)) ?? "channel"

/** No id has a NUL. */
const laneOf = ({conversation, user, id}: Placed, order: HandlerOrder): string => {
  if (order === "none") return `${conversation}\0\0${id}`
  return order === "user" && user !== undefined ? `${conversation}\0${user}` : conversation
}

/** How many conversations of an endpoint, and how many lanes within one conversation, are handled side by side. */
const widths = {endpoint: 256, conversation: 1024}

export const widthOf = (owner: string): number => (owner.includes("/") ? widths.conversation : widths.endpoint)

/** Returns whose places a lane takes: those of its endpoint, or of its conversation if the lane is only a part of one. */
export const ownerOfLane = (lane: string): string => {
  const end = lane.indexOf("\0")
  return end < 0 ? endpointOfLane(lane) : lane.slice(0, end)
}

/** Divides an event's handlers by their order. Middleware and all inside it run together, in the strictest order. */
export const groupsOf = (dispatch: Dispatch | undefined, event: Placed, handlers: readonly string[]): Group[] => {
  const orderOf = (handler: string) => dispatch?.orderOf?.(handler) ?? "channel"
  if (dispatch === undefined || handlers.every(handler => orderOf(handler) === "channel"))
    return [{lane: event.conversation, handlers}]
  const {around, within} = dispatch.nest(handlers)
  if (around.length > 0) {
    const order = strictest((within.length > 0 ? within : around).map(orderOf))
    return [{lane: laneOf(event, order), handlers}]
  }
  const byLane = Map.groupBy(within, handler => laneOf(event, orderOf(handler)))
  return [...byLane].map(([lane, each]) => ({lane, handlers: each}))
}
