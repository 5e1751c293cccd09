import type {AdapterUnderTest, Heard} from "../../../server/testing/adapter/conformance.ts"
import {until} from "../host/process.ts"
import {group, groupMessage, postEvent, postSecret, type Sent, startOneBot, token} from "../platforms/onebot/onebot.ts"

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

/** The built-in adapter `onebot` at a fake, by WebSocket or by HTTP with signed posts of events. */
export const onebot = (transport: "ws" | "http"): AdapterUnderTest => ({
  use: "onebot",
  name: "onebot",
  env,
  platform: async () => {
    const fake = await startOneBot()
    const isSocket = transport === "ws"
    const more = isSocket ? {url: fake.wsUrl} : {url: fake.url, secret: "${ONEBOT_SECRET}"}
    const account = {id: "one", ...more, accessToken: "${ONEBOT_TOKEN}"}
    let number = 0
    let last = ""
    return {
      account,
      refused: {...account, accessToken: "${WRONG_TOKEN}"},
      channel: String(group),
      user: "42",
      calls,
      say: async (text, host) => {
        last = text
        number++
        await tellHost(() => groupMessage([{type: "text", data: {text}}], number), host)
      },
      repeat: host => tellHost(() => groupMessage([{type: "text", data: {text: last}}], number), host),
      heard: () => fake.sent().map(heardOf),
      ...(isSocket ? {cut: () => fake.cut(), connections: () => fake.connections()} : {}),
    }

    async function tellHost(
      event: () => Readonly<Record<string, unknown>>,
      host: () => {readonly hook: string} | undefined,
    ): Promise<void> {
      if (isSocket) await until("a connection of the bot", () => fake.connections() > 0 && fake.report(event()) > 0)
      else
        await until("the Host to take an event", async () => {
          const hook = host()?.hook
          return hook !== undefined && (await postEvent(hook, event()).catch(() => undefined))?.ok === true
        })
    }
  },
})
