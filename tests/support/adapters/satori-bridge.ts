import type {AdapterUnderTest} from "../../../server/testing/adapter/conformance.ts"
import {FakeKook} from "../platforms/kook/kook.ts"
import {channel, guild, token} from "../platforms/kook/methods.ts"

/** `@satorijs/adapter-kook` at a protocol fake of KOOK. */
export const bridgedKook: AdapterUnderTest = {
  use: "satori-bridge",
  name: "satori-bridge",
  env: {KOOK_TOKEN: token, WRONG_TOKEN: "1/MTA=/wrong=="},
  platform: async defer => {
    const kook = await FakeKook.start(defer)
    const account = {
      id: "one",
      package: "@satorijs/adapter-kook",
      config: {protocol: "ws", endpoint: `${kook.url}/api/v3`},
    }
    const role = {guild_id: guild.id, user_id: "42", role_id: "700"}
    return {
      account: {...account, secrets: {token: "${KOOK_TOKEN}"}},
      refused: {...account, secrets: {token: "${WRONG_TOKEN}"}},
      channel,
      user: "42",
      calls: {
        "guild.list": {},
        "guild.member.list": {guild_id: guild.id},
        "guild.member.role.set": role,
        "guild.member.role.unset": role,
        "channel.list": {guild_id: guild.id},
      },
      say: async text => void kook.say(text),
      sayFile: async ({name, type, bytes}) => kook.sayFile({name, type, bytes: Uint8Array.from(bytes)}),
      repeat: async () => kook.repeat(),
      heard: () => kook.heard().map(({reactions, ...message}) => ({...message, reactions: [...reactions]})),
      cut: () => kook.cut(),
      connections: () => kook.connections,
      slowDown: milliseconds => kook.slowDown(milliseconds),
    }
  },
}
