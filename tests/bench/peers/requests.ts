import {createHmac} from "node:crypto"

/** How messages reach a bot: svc's signed webhooks, Telegram's Bot API, or the plain interface of the bench. */
export type Door = "svc" | "telegram" | "plain"

export interface Message {
  readonly id: string
  readonly partner: number
}

export interface BotRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const commands = 100

/** The secret of svc's webhooks. */
export const secret = `whsec_${Buffer.from("the secret of the bench, 32 bytes").toString("base64")}`
const key = Buffer.from(secret.slice("whsec_".length), "base64")

let count = 0

const bodies: Readonly<Record<Door, (message: Message, command: string) => object>> = {
  svc: ({id, partner}, command) => ({text: `${command} ${id}`, channel: `c${partner}`, user: `u${partner}`}),
  plain: ({id, partner}, command) => ({id, text: `${command} ${id}`, channel: `c${partner}`, user: `u${partner}`}),
  telegram: ({id, partner}, command) => ({
    update_id: count,
    message: {
      message_id: count,
      date: Math.floor(Date.now() / 1000),
      chat: {id: partner + 1, type: "private", first_name: `u${partner}`},
      from: {id: partner + 1, is_bot: false, first_name: `u${partner}`},
      text: `${command} ${id}`,
      entities: [{type: "bot_command", offset: 0, length: command.length}],
    },
  }),
}

const headersOf = (door: Door, id: string, body: string): BotRequest["headers"] => {
  if (door === "telegram") return {"x-telegram-bot-api-secret-token": "of-the-bench"}
  if (door === "plain") return {}
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")
  return {"webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}`}
}

const paths: Readonly<Record<Door, string>> = {svc: "/hooks/webhook/webhook~peers", telegram: "/", plain: "/"}

/** A message that calls the commands in turn with its own id, which the bot repeats. */
export const requestOf = (door: Door, message: Message): BotRequest => {
  const body = JSON.stringify(bodies[door](message, `/cmd${++count % commands}`))
  const headers = {"content-type": "application/json", ...headersOf(door, message.id, body)}
  return {path: paths[door], headers, body}
}

/** The same as bytes of HTTP/1.1. */
export const bytesOf = ({path, headers, body}: BotRequest): string =>
  [
    `POST ${path} HTTP/1.1`,
    "Host: 127.0.0.1",
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    "",
    body,
  ].join("\r\n")
