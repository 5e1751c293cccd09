import type {AdapterUnderTest, Heard} from "../../../server/testing/adapter/conformance.ts"
import {until} from "../host/process.ts"
import {
  firstBot,
  group,
  groupMessage,
  postEvent,
  postSecret,
  type Sent,
  startOneBot,
  token,
} from "../platforms/onebot/onebot.ts"

const calls = {
  "guild.member.mute": {guild_id: String(group), user_id: "42", duration: 60_000},
  "guild.member.kick": {guild_id: String(group), user_id: "42"},
  "guild.member.list": {guild_id: String(group)},
  "guild.member.get": {guild_id: String(group), user_id: "42"},
  "guild.list": {},
  "guild.get": {guild_id: String(group)},
  "friend.list": {},
  "user.get": {user_id: "42"},
  "friend.approve": {message_id: "flag-1", approve: true},
  "guild.approve": {message_id: "flag-2", approve: true},
  "guild.member.approve": {message_id: "flag-3", approve: false},
} as const

interface Segment {
  readonly type: string
  readonly data: {readonly text?: string; readonly file?: string; readonly name?: string}
}

const heardOf = ({params, at}: Sent): Heard => {
  const segments = params.message as readonly Segment[]
  const files = segments.flatMap(({data: {file, name = ""}}) =>
    file === undefined ? [] : [{name, bytes: Buffer.from(file.replace("base64://", ""), "base64")}],
  )
  return {text: segments.map(({data}) => data.text ?? "").join(""), at, files}
}

const env = {ONEBOT_TOKEN: token, WRONG_TOKEN: "a-wrong-token", ONEBOT_SECRET: postSecret}

export type OneBotTransport = "ws" | "reverse" | "http"

/** The adapter `onebot` at a fake: by WebSocket with history, by reverse WebSocket, or by HTTP with signed posts. */
export const onebot = (transport: OneBotTransport): AdapterUnderTest => ({
  use: "onebot",
  name: "onebot",
  env,
  platform: async () => {
    const fake = await startOneBot()
    const more = {
      ws: {url: fake.wsUrl, history: true},
      reverse: {reverse: {selfId: firstBot}},
      http: {url: fake.url, secret: "${ONEBOT_SECRET}"},
    }[transport]
    const account = {id: "one", ...more, accessToken: "${ONEBOT_TOKEN}"}
    let number = 0
    let last = ""
    const message = () => groupMessage([{type: "text", data: {text: last}}], number)
    const tellHost = async (host: () => {readonly hook: string} | undefined): Promise<void> => {
      if (transport === "ws") fake.report(message())
      else if (transport === "reverse")
        await until("a connection of the bot", () => fake.connections() > 0 && fake.report(message()) > 0)
      else
        await until("the Host to accept an event", async () => {
          const hook = host()?.hook
          return hook !== undefined && (await postEvent(hook, message()).catch(() => undefined))?.ok === true
        })
    }
    return {
      account,
      ...(transport === "reverse"
        ? {}
        : {
            hostile: ({port, isSecure}) => ({
              account: {...account, url: `${transport}${isSecure ? "s" : ""}://127.0.0.1:${port}`},
            }),
          }),
      channel: String(group),
      user: "42",
      calls,
      say: async (text, host) => {
        last = text
        number++
        await tellHost(host)
      },
      repeat: tellHost,
      heard: () => fake.sent().map(heardOf),
      ...(transport === "reverse"
        ? {started: ({hook}) => fake.reverse(hook)}
        : {refused: {...account, accessToken: "${WRONG_TOKEN}"}}),
      ...(transport === "http" ? {} : {cut: () => fake.cut(), connections: () => fake.connections()}),
    }
  },
})
