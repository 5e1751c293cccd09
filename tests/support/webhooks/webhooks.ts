import {createHmac} from "node:crypto"
import {createServer} from "node:http"
import {Webhook} from "standardwebhooks"
import {listen} from "../machine/listen.ts"
import {bodyOf} from "../machine/stand-in-server.ts"

/** A secret for tests: `whsec_` and base64 of at least 24 bytes. */
export const secretOf = (name: string): string => `whsec_${Buffer.from(name.padEnd(32, ".")).toString("base64")}`

export interface SigningOptions {
  readonly id: string
  readonly secret: string
  /** Seconds since 1970; defaults to now. */
  readonly timestamp?: number
}

/** The signature of Standard Webhooks, made with Node's own HMAC and without the adapter's library. */
export const signatureOf = (
  body: string | Uint8Array,
  id: string,
  timestamp: number | string,
  secret: string,
): string =>
  `v1,${createHmac("sha256", Buffer.from(secret.replace(/^whsec_/, ""), "base64"))
    .update(`${id}.${timestamp}.`)
    .update(body)
    .digest("base64")}`

export const signedHeaders = (
  body: string | Uint8Array,
  {id, secret, timestamp = Math.floor(Date.now() / 1000)}: SigningOptions,
): Record<string, string> => ({
  "content-type": "application/json",
  "webhook-id": id,
  "webhook-timestamp": String(timestamp),
  "webhook-signature": signatureOf(body, id, timestamp, secret),
})

/** Posts a signed body to an endpoint of the built-in adapter. */
export const deliver = (
  hook: string,
  body: string | Uint8Array<ArrayBuffer>,
  {headers, ...options}: SigningOptions & {readonly headers?: Record<string, string>},
): Promise<Response> => fetch(hook, {method: "POST", headers: {...signedHeaders(body, options), ...headers}, body})

export interface Delivery {
  readonly id: string
  readonly body: {readonly type: string; readonly channel: string; readonly text: string}
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

export interface Receiver {
  readonly url: string
  readonly deliveries: readonly Delivery[]
  /** The number of deliveries without a valid signature. */
  readonly refused: () => number
}

/**
 * A stand-in for a partner. It verifies each delivery with the library of Standard Webhooks, then answers with
 * `answer`: 200 by default, never if it is undefined. One that ignores the time verifies only the signature.
 */
export const startReceiver = async (
  secret: string,
  answer: (
    delivery: Delivery,
    attempt: number,
  ) => {status: number; headers?: Record<string, string>} | undefined = () => ({status: 200}),
  {ignoresTime = false} = {},
): Promise<Receiver> => {
  const webhook = new Webhook(secret)
  const verify = (body: Buffer, headers: Record<string, string>): Delivery["body"] => {
    if (!ignoresTime) return webhook.verify(body, headers) as Delivery["body"]
    const {"webhook-id": id = "", "webhook-timestamp": time = "", "webhook-signature": signature} = headers
    if (signature !== signatureOf(body, id, time, secret)) throw new Error("the signature is invalid")
    return JSON.parse(body.toString()) as Delivery["body"]
  }
  const deliveries: Delivery[] = []
  let refused = 0
  const server = createServer(async (request, response) => {
    response.on("error", () => {})
    const bytes = await bodyOf(request)
    try {
      const body = verify(bytes, request.headers as Record<string, string>)
      const delivery = {id: String(request.headers["webhook-id"]), body, headers: request.headers}
      const attempt = deliveries.filter(({id}) => id === delivery.id).length + 1
      deliveries.push(delivery)
      const told = answer(delivery, attempt)
      if (told !== undefined) response.writeHead(told.status, told.headers).end()
    } catch {
      refused++
      response.writeHead(400).end()
    }
  })
  const port = await listen(server)
  return {url: `http://127.0.0.1:${port}/in`, deliveries, refused: () => refused}
}
