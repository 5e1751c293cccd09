import {hash} from "node:crypto"
import {parseJson, toJson} from "../../../../shared/json.ts"
import {Problem} from "../../../../shared/problems.ts"
import type {Endpoint} from "../../../../shared/sdk/adapter/adapter.ts"
import type {DatedIncoming} from "../../../../shared/sdk/adapter/incoming.ts"
import {refused} from "../../../../shared/sdk/adapter/refusal.ts"
import type {Sender} from "../../../../shared/sdk/adapter/sender.ts"
import type {Verify} from "../../../../shared/sdk/adapter/verify.ts"
import type {RequestValue, WebhookDefinition, WebhookRequest} from "../../../../shared/sdk/plugin/webhook.ts"
import {fieldsOf, isId} from "../../../../shared/sdk/session/values.ts"
import type {TSchema} from "../../../../shared/type.ts"

/** What a webhook's `open` resolves to. */
export interface WebhookSender extends Sender {
  receive(request: Request): Promise<Response>
  /** Returns the headers of a request with this body now, as its sender makes them. */
  sign(body: string, id: string, type?: string): Readonly<Record<string, string>>
}

interface Received extends WebhookRequest {
  readonly bytes: Uint8Array
}

/** Where the senders that the Host knows have the id and the type of a request. */
const known: {readonly [By in Verify["by"]]: Pick<WebhookDefinition, "id" | "type">} = {
  bearer: {},
  hmac: {},
  github: {id: {header: "x-github-delivery"}, type: {header: "x-github-event"}},
  // It stays the same when GitLab retries.
  gitlab: {id: {header: "idempotency-key"}, type: {header: "x-gitlab-event"}},
  // A press and a slash command have no id, but a trigger that works once.
  slack: {
    id: ({data}) => fieldOf(data, "event_id") ?? fieldOf(data, "trigger_id") ?? hash("sha256", toJson(data)),
    type: ({data}) => fieldOf(data, "event.type") ?? fieldOf(data, "type") ?? fieldOf(data, "command"),
  },
  standard: {id: {header: "webhook-id"}, type: {field: "type"}},
  stripe: {id: {field: "id"}, type: {field: "type"}},
}

/** The longest id, in characters. */
const longest = 200

interface Options {
  /** The type of its events. */
  readonly type: string
  readonly definition: WebhookDefinition<TSchema>
  readonly endpoint: Endpoint<DatedIncoming>
  /** Returns milliseconds since 1970. */
  readonly now: () => number
}

/** Opens a webhook. Throws a refusal for an unusable secret. */
export const openWebhook = async ({type, definition, endpoint, now}: Options): Promise<WebhookSender> => {
  const {verify, user} = definition
  const {id = known[verify.by].id ?? "body", type: kind = known[verify.by].type} = definition
  const verifier = await endpoint.verifier(verify)
  const store = async (request: Received): Promise<Response> => {
    const given = id === "body" ? hash("sha256", request.bytes) : valueIn(id, request)
    if (given === undefined) throw new Problem("request_invalid", `the request has no id: ${placeOf(id)} is missing`)
    if (!isId(given) || given.length > longest)
      throw new Problem("request_invalid", `the id of the request must have 1 to ${longest} characters, and no NUL`)
    const by = user && valueIn(user, request)
    const {duplicate} = await endpoint.receive({
      id: given,
      type,
      timestamp: now(),
      ...(isId(by) ? {user: {id: by}} : {}),
      raw: {type: (kind && valueIn(kind, request)) ?? type, data: request.data},
    })
    // Slack shows a person the body of an answer.
    return verify.by === "slack" ? new Response(null) : Response.json({id: given, duplicate}, {status: 202})
  }
  return {
    receive: async request => {
      if (request.method !== "POST") return new Response(null, {status: 405, headers: {allow: "POST"}})
      const {headers} = request
      const bytes = new Uint8Array(await request.arrayBuffer())
      verifier.verify(headers, bytes)
      const received = {headers, bytes, data: readBody(headers.get("content-type") ?? "", bytes)}
      return greetingOf(verify.by, received) ?? store(received)
    },
    sign: (body, given, named) => ({
      "content-type": "application/json",
      ...headerOf(id, given),
      ...headerOf(kind, named),
      ...verifier.sign(given, body),
    }),
    send: async () => {
      throw refused("a webhook only receives", {reason: "unsupported", remediation: "Send to another endpoint."})
    },
  }
}

/** Returns the answer to a request with which a sender tries the address; undefined for an event. */
const greetingOf = (by: Verify["by"], {headers, data}: Received): Response | undefined => {
  if (by === "github" && headers.get("x-github-event") === "ping") return Response.json({zen: "pong"})
  if (by !== "slack" || fieldOf(data, "type") !== "url_verification") return undefined
  return Response.json({challenge: fieldOf(data, "challenge")})
}

const decoder = new TextDecoder("utf-8", {fatal: true, ignoreBOM: true})

const readBody = (type: string, bytes: Uint8Array): unknown => {
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(type)
  if (!isForm && !/^application\/(.+\+)?json\b/i.test(type))
    throw new Problem("unsupported_media_type", "the body must be sent as application/json, or as a form")
  const text = decode(bytes)
  if (!isForm) return parseJson(text)
  const {payload, ...others} = Object.fromEntries(new URLSearchParams(text))
  if (payload !== undefined && Object.keys(others).length === 0) return parseJson(payload, "payload")
  return payload === undefined ? others : {payload, ...others}
}

const decode = (bytes: Uint8Array): string => {
  try {
    return decoder.decode(bytes)
  } catch (cause) {
    throw new Problem("request_invalid", "the body is not UTF-8", {cause})
  }
}

const valueIn = (at: RequestValue, request: WebhookRequest): string | undefined => {
  if (typeof at === "function") return at(request)
  return "header" in at ? (request.headers.get(at.header) ?? undefined) : fieldOf(request.data, at.field)
}

/** Returns the text or the number at a path such as `event.id`. */
const fieldOf = (data: unknown, path: string): string | undefined => {
  const value = path.split(".").reduce<unknown>((inner, key) => {
    const fields = fieldsOf(inner)
    return Object.hasOwn(fields, key) ? fields[key] : undefined
  }, data)
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined
}

const placeOf = (at: RequestValue | "body"): string => {
  if (at === "body") return at
  if (typeof at === "function") return "what its function returns"
  return "header" in at ? `the header ${at.header}` : `the field ${at.field}`
}

const headerOf = (at: RequestValue | "body" | undefined, value: string | undefined) =>
  typeof at === "object" && "header" in at && value !== undefined ? {[at.header]: value} : {}
