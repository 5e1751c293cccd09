import {hash} from "node:crypto"
import {toJson} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import type {Incoming} from "../../../shared/sdk/adapter/incoming.ts"
import {hasPayload, type SatoriEvent} from "../../../shared/sdk/content/satori.ts"
import {isId, lastTime} from "../../../shared/sdk/session/values.ts"
import type {Endpoint} from "../../endpoints/endpoint.ts"
import type {EndpointSpec} from "../../endpoints/spec.ts"

/** The parts of an event that have an id. */
const things = ["channel", "guild", "user", "message", "emoji", "button"] as const

/** Checks an event of an adapter, which may be any value in JavaScript. Throws `event_invalid` with the fault. */
export const requireEvent = (endpoint: Endpoint, incoming: Incoming): void => {
  requireObject("an event", incoming)
  const {id, type, timestamp, channel, user, message, form, raw} = incoming
  requireId("id", id)
  requireId("type", type)
  for (const key of things) requireThing(key, incoming[key])
  if (form !== undefined) requireValues(form)
  if (user?.roles !== undefined && !(Array.isArray(user.roles) && user.roles.every(isId)))
    throw invalid("user.roles must be a list of ids")
  if (channel !== undefined && !Number.isInteger(channel.type)) throw invalid("channel.type must be one of channelType")
  if (message !== undefined && typeof message.content !== "string")
    throw invalid("message.content must be text (renderContent makes it from a tree)")
  if (raw !== undefined) requireObject("raw", raw)
  if (raw !== undefined) requireId("raw.type", raw.type)
  if (timestamp === undefined) {
    if (endpoint.spec.history === "replay")
      throw invalid('an adapter with history "replay" must give each event a timestamp')
  } else if (typeof timestamp !== "number" || !(Math.abs(timestamp) <= lastTime))
    throw invalid("timestamp must be a number: milliseconds since 1970")
}

/** Returns a valid event as it is stored, with `now` if its platform gives no time. Its sequence is not known yet. */
export const toEvent = (endpoint: Endpoint, incoming: Incoming, now: number): SatoriEvent => {
  const {id: _, raw, timestamp, isKept: __, ...event} = incoming
  return {
    sn: 0,
    timestamp: timestamp ?? now,
    login: endpoint.login ?? {platform: endpoint.spec.slot},
    ...event,
    ...(raw === undefined ? {} : {_type: raw.type}),
    // A platform's own event is useless without its payload (Satori, "internal").
    ...(raw !== undefined && hasPayload(event.type) ? {_data: raw.data} : {}),
  }
}

/** An element, as `renderContent` writes it. Takes time linear in the length of any text. */
const element = /<[^<>]*>/g

/** Returns a hash of what an event says, without its times and names: 16 hexadecimal digits, in about 1 µs. */
export const contentHash = (
  {type, channel, guild, user, message, emoji, button, form, raw}: Incoming,
  {varies}: Pick<EndpointSpec, "varies">,
): string => {
  const said = message?.content ?? ""
  const parts = [
    type,
    varies.includes("channel") ? undefined : channel?.id,
    guild?.id,
    user?.id,
    message?.id,
    emoji?.id,
    button?.id,
    form && toJson(form.values),
    hasPayload(type) && !varies.includes("payload") ? toJson(raw?.data) : undefined,
    varies.includes("elements") ? said.replace(element, "") : said,
  ]
  // Of these, only the last may contain a NUL.
  return hash("sha256", parts.join("\0")).slice(0, 16)
}

const invalid = (why: string): Problem => new Problem("event_invalid", why)

function requireObject(what: string, value: unknown): asserts value is object {
  if (typeof value !== "object" || value === null) throw invalid(`${what} must be an object`)
}

const requireThing = (key: string, value: {readonly id: unknown} | undefined): void => {
  if (value === undefined) return
  requireObject(key, value)
  requireId(`${key}.id`, value.id)
}

const requireValues = (form: NonNullable<Incoming["form"]>): void => {
  requireObject("form", form)
  requireObject("form.values", form.values)
  const wrong = Object.entries(form.values).find(([, value]) => typeof value !== "string")
  if (wrong !== undefined) throw invalid(`form.values.${wrong[0]} must be text`)
}

const requireId = (key: string, value: unknown): void => {
  if (!isId(value)) throw invalid(`${key} must be non-empty text, without a NUL character and in well-formed Unicode`)
}
