import {Problem} from "../../shared/problems.ts"
import type {Incoming} from "../../shared/sdk/adapter/incoming.ts"
import type {SatoriEvent} from "../../shared/sdk/satori.ts"
import type {Endpoint} from "../endpoints/endpoint.ts"

/** What an adapter hands over, as the event that is stored; its sequence is not known yet. Throws `event_invalid`. */
export const toEvent = (endpoint: Endpoint, incoming: Incoming): SatoriEvent => {
  requireText("id", incoming.id)
  requireText("type", incoming.type)
  if (incoming.channel !== undefined) requireText("channel.id", incoming.channel.id)
  if (incoming.user !== undefined) requireText("user.id", incoming.user.id)
  if (incoming.message !== undefined && typeof incoming.message.content !== "string") {
    throw new Problem("event_invalid", "message.content must be text (renderContent makes it from a tree)")
  }
  if (endpoint.spec.history === "replay" && !Number.isFinite(incoming.timestamp)) {
    throw new Problem("event_invalid", 'an adapter with history "replay" gives each event its timestamp')
  }
  const {id: _, raw, timestamp, ...event} = incoming
  return {
    sn: 0,
    timestamp: timestamp ?? Date.now(),
    login: endpoint.login ?? {platform: endpoint.spec.slot},
    ...event,
    ...(raw === undefined ? {} : {_type: raw.type}),
    // A platform's own event is nothing without its payload (Satori, "internal").
    ...(raw !== undefined && event.type === "internal" ? {_data: raw.data} : {}),
  }
}

const requireText = (key: string, value: unknown) => {
  if (typeof value !== "string" || value === "" || value.includes("\0"))
    throw new Problem("event_invalid", `${key} must be text that is not empty, without a NUL character`)
}
