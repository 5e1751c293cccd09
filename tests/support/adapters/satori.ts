import {randomUUID} from "node:crypto"
import type {AdapterUnderTest, Heard} from "../../../server/testing/adapter/conformance.ts"
import {botMessages, startHost, type TestHost} from "../host/host.ts"
import {layGateway} from "../platforms/satori/gateway.ts"

const token = "token-of-the-satori-server"

/** The variables of a Host that serves Satori and of one that connects to it: with the same, they share a process. */
export const satoriEnv = {HTTP_TOKEN: token, SATORI_TOKEN: token, WRONG_TOKEN: "another-token-than-the-server-has"}

/** A Host that serves Satori, backed by the sandbox. */
export const startServingHost = (more: Parameters<typeof startHost>[0] = {}): Promise<TestHost> =>
  startHost({config: 'http: {port: 0, token: "${HTTP_TOKEN}"}\nplugins: {sandbox: {}}\n', env: satoriEnv, ...more})

export const heardIn = async (host: TestHost, channel: string): Promise<readonly Heard[]> => {
  const read = async (message: string, number: number) => {
    const query = new URLSearchParams({channel, message, number: String(number)})
    return new Uint8Array(await (await host.fetch(`/api/plugins/sandbox/files?${query}`)).arrayBuffer())
  }
  return Promise.all(
    (await botMessages(host, channel)).map(async ({id, text, at, reactions, files}) => {
      const shown = files.map(async ({name}, number) => ({name, bytes: await read(id, number)}))
      return {text, at: Date.parse(at), reactions, files: await Promise.all(shown)}
    }),
  )
}

/** The built-in adapter `satori` at a real Host that serves Satori. Each check has its own channel there. */
export const satori = (server: () => TestHost): AdapterUnderTest => ({
  use: "satori",
  name: "satori",
  env: satoriEnv,
  platform: async defer => {
    const host = server()
    const gateway = await layGateway(host.url, defer)
    const channel = `room-${randomUUID()}`
    const say = (more: object) =>
      host.plugin("/api/plugins/sandbox/messages", {channel, user: "ann", group: true, ...more})
    const account = {id: "one", url: `${gateway.url}/satori`, platform: "sandbox", user: "bot"}
    return {
      account: {...account, token: "${SATORI_TOKEN}"},
      refused: {...account, token: "${WRONG_TOKEN}"},
      hostile: ({port, isSecure}) => ({
        account: {...account, url: `${isSecure ? "https" : "http"}://127.0.0.1:${port}/satori`},
      }),
      channel,
      user: "ann",
      calls: {
        "guild.member.mute": {user_id: "bob", duration: 0},
        "guild.member.kick": {user_id: "bob"},
        "guild.member.list": {guild_id: "sandbox"},
        "guild.role.create": {role: {name: "helper"}},
        "channel.create": {data: {name: "news"}},
      },
      say: async text => void (await say({text})),
      sayFile: async ({name, type, bytes}) =>
        void (await say({files: [{name, type, data: Buffer.from(bytes).toString("base64")}]})),
      repeat: async () => gateway.repeat(),
      heard: () => heardIn(host, channel),
      cut: () => gateway.cut(),
      connections: () => gateway.connections,
      slowDown: milliseconds => gateway.slowDown(milliseconds),
    }
  },
})
