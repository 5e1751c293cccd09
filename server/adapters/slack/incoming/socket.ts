import {setTimeout as sleep} from "node:timers/promises"
import type * as SocketMode from "@slack/socket-mode"
import {type Endpoint, type Secret, tryParseJson} from "../../../../shared/sdk/sdk.ts"
import type {AccountSettings} from "../api/account.ts"
import {appToken, clientOptions, failureOf, quiet} from "../api/api.ts"
import {type Payload, payloadOf, textIn} from "../api/payload.ts"
import {type Inbox, isKind} from "./inbox.ts"

/** How long to wait for Slack's answer to the close, in milliseconds. */
const patience = 1000

/** Slack sends no longer messages, in bytes. */
const longest = 4_000_000

/**
 * Connects by Socket Mode (https://docs.slack.dev/apis/events-api/using-socket-mode). Resolves once Slack has said
 * hello.
 */
export const openSocket = async (
  account: AccountSettings,
  token: Secret,
  endpoint: Endpoint,
  inbox: Inbox,
): Promise<void> => {
  const {SocketModeClient} = await endpoint.load<typeof SocketMode>("@slack/socket-mode")
  const client = new SocketModeClient({
    ...(await bounds(endpoint)),
    appToken: token.reveal(),
    logger: quiet,
    autoReconnectEnabled: false,
    clientOptions: clientOptions(account, endpoint.signal),
  })
  endpoint.defer(() => close(client))
  let reason = ""
  let last: unknown
  client.on("error", error => {
    last = error
  })
  guard(client, message => {
    if (message.type === "disconnect") reason = ` (${textIn(message, "reason") ?? "no reason"})`
  })
  client.on("slack_event", async ({type, body, ack}: Delivered) => {
    try {
      if (isKind(type)) await inbox.take(type, body)
      else endpoint.unknown(type)
      await ack()
    } catch (error) {
      endpoint.log.warn("could not acknowledge a delivery; Slack will deliver it again", {error})
    }
  })
  try {
    await client.start()
  } catch (error) {
    throw error === undefined ? new Error(`Slack did not say hello: ${messageIn(last)}`) : connecting(error)
  }
  const lost = () => endpoint.lost(new Error(`Slack closed the connection${reason}`))
  client.on("disconnected", lost)
  if (client.websocket?.isActive() !== true) lost()
}

/** On Bun, `undici` is a part of the runtime, which accepts messages of 128 MiB and has no option for it. */
const bounds = async (endpoint: Endpoint) => {
  if ("bun" in process.versions) return {}
  const {Agent} = await endpoint.load<typeof import("undici")>("undici")
  return {dispatcher: new Agent({webSocket: {maxPayloadSize: longest}})}
}

interface Delivered {
  readonly type: string
  readonly body: unknown
  ack(): Promise<void>
}

const connecting = (error: unknown): Error => failureOf(error, "apps.connections.open", appToken)

const messageIn = (error: unknown): string =>
  error instanceof Error && error.message !== "" ? error.message : "the connection ended"

/**
 * Passes on only messages that the library handles. Any other message would cause an uncaught rejection, or raise one
 * of the client's own events, such as the end of the connection.
 */
const guard = (client: SocketMode.SocketModeClient, heard: (message: Payload) => void): void => {
  const handlers = client.listeners("ws_message")
  client.removeAllListeners("ws_message")
  client.on("ws_message", (data: unknown, isBinary: boolean) => {
    if (isBinary || typeof data !== "string" || data.length > longest) return
    const message = payloadOf(tryParseJson(data))
    if (!isMessage(message)) return
    heard(message)
    for (const handle of handlers) void handle.call(client, data, isBinary)
  })
}

/** Names of the client's own events. */
const reserved =
  /^(authenticated|close|connect(ed|ing)|disconnect(ed|ing)|error|reconnecting|slack_event|ws_message|outgoing_message)$/

const isMessage = (message: Payload): boolean => {
  if (message.type === "hello" || message.type === "disconnect") return true
  if (textIn(message, "envelope_id") === undefined) return false
  const type = message.type === "events_api" ? payloadOf(payloadOf(message.payload).event).type : message.type
  return typeof type === "string" && !reserved.test(type)
}

/** A second call ends a connection whose other side does not answer. */
const close = async (client: SocketMode.SocketModeClient): Promise<void> => {
  client.removeAllListeners("slack_event")
  const closed = client.disconnect().catch(() => {})
  const patient = new AbortController()
  await Promise.race([closed, sleep(patience, undefined, {signal: patient.signal}).catch(() => {})])
  patient.abort()
  if (client.websocket?.readyState !== undefined) client.websocket.disconnect()
}
