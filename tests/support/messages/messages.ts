import type {RoomMessage} from "../../../server/adapters/sandbox/room.ts"
import type {OutboxDetail} from "../../../shared/api/messages.ts"
import {until} from "../host/process.ts"
import type {TestHost} from "../host/test-host.ts"

const sandbox = "/api/plugins/sandbox/messages"

export interface Said {
  readonly text: string
  readonly id?: string
  readonly channel?: string
  readonly user?: string
  readonly group?: boolean
}

/** Says something in the sandbox; resolves to the number of the event once it is durable. */
export const tell = async (host: TestHost, said: Said): Promise<number> =>
  (await host.plugin<{sn: number}>(sandbox, said)).sn

export const messagesIn = async (host: TestHost, channel: string): Promise<readonly RoomMessage[]> =>
  (await host.plugin<{items: RoomMessage[]}>(`${sandbox}?channel=${encodeURIComponent(channel)}`)).items

/** The bot's messages in a channel of the sandbox, oldest first. */
export const botMessages = async (host: TestHost, channel: string): Promise<readonly RoomMessage[]> =>
  (await messagesIn(host, channel)).filter(({from}) => from === "bot")

/** The texts of the bot's messages in a channel of the sandbox, oldest first. */
export const botTexts = async (host: TestHost, channel: string): Promise<readonly string[]> =>
  (await botMessages(host, channel)).map(({text}) => text)

/** The texts of the newest messages in the inbox, newest first. */
export const textsOf = async (host: TestHost): Promise<readonly string[]> => {
  const {items} = await host.get("/api/inbox")
  return items.map(({event}) => event.message?.content ?? "")
}

export const messageIn = (host: Pick<TestHost, "get">, id: string, state: string): Promise<OutboxDetail> =>
  until(`message ${id} to be ${state}`, async () => {
    const message = await host.get("/api/outbox/:id", {id})
    return message.state === state && message
  })

/** An outbox message, once it does not wait for an attempt or its end. */
export const messageAfter = (host: TestHost, id: string): Promise<OutboxDetail> =>
  until(`message ${id} to end`, async () => {
    const message = await host.get("/api/outbox/:id", {id})
    return message.state !== "queued" && message.state !== "sending" && message
  })

/** Stores a text for a channel; resolves to the message's id. */
export const sendTo = async (host: TestHost, endpoint: string, channel: string, text: string): Promise<string> =>
  (await host.post("/api/outbox", {body: {endpoint, channel, text}})).id

/** Waits until the Host has handled every event and sent every message. */
export const untilIdle = (host: TestHost): Promise<unknown> =>
  until(
    "the Host to have nothing to do",
    async () => {
      for (const state of ["pending", "running"])
        if ((await host.get("/api/inbox", {state, limit: 1})).items.length > 0) return false
      for (const state of ["queued", "sending"])
        if ((await host.get("/api/outbox", {state, limit: 1})).items.length > 0) return false
      return true
    },
    300_000,
  )

/** Waits until at most `most` things are open. Retries events that ran at two kills in a row: they are suspected. */
export const untilOpen = (host: TestHost, most: number, open: () => number): Promise<unknown> =>
  until(
    "the open work to end",
    async () => {
      const {items} = await host.get("/api/inbox", {limit: 500, state: "dead"})
      for (const {seq} of items) await host.post("/api/inbox/:seq/retry", {seq})
      return open() <= most
    },
    300_000,
  )
