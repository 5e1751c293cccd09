import type {AdapterUnderTest, Heard} from "../../../server/testing/adapter/conformance.ts"
import {until} from "../host/process.ts"
import {startTelegram} from "../platforms/fakes.ts"

const token = "999:right-token"

/** The built-in adapter `telegram` at the tests' fake, polling, in a private chat. */
export const telegram: AdapterUnderTest = {
  use: "telegram",
  name: "telegram",
  env: {TELEGRAM_TOKEN: token, WRONG_TOKEN: "999:wrong-token"},
  platform: async () => {
    const fake = await startTelegram({token})
    const account = {id: "main", apiRoot: fake.url, token: "${TELEGRAM_TOKEN}"}
    const untilTaken = (update: number) =>
      until("the bot to confirm an update", () => !fake.waiting().includes(update), 60_000)
    return {
      account,
      refused: {...account, token: "${WRONG_TOKEN}"},
      hostile: ({port, isSecure}) => ({
        account: {...account, apiRoot: `${isSecure ? "https" : "http"}://127.0.0.1:${port}`},
      }),
      channel: "42",
      user: "42",
      calls: {
        "guild.member.get": {guild_id: "-1001", user_id: "7"},
        "guild.member.mute": {guild_id: "-1001", user_id: "7", duration: 60_000},
        "guild.member.kick": {guild_id: "-1001", user_id: "7"},
      },
      say: async text => {
        fake.say({text})
        await untilTaken(fake.waiting().at(-1) ?? 0)
      },
      sayFile: async file => void (await untilTaken(fake.sayFile({...file, bytes: Buffer.from(file.bytes)}))),
      repeat: async () => fake.repeat(),
      heard: () => fake.sent().map(({text, at, reactions, files}): Heard => ({text, at, reactions, files})),
      slowDown: milliseconds => fake.slowDown(milliseconds),
      cut: () => fake.cut(),
      connections: () => fake.open(),
      commands: () =>
        (fake.calls("setMyCommands").at(-1)?.commands as readonly {command: string}[] | undefined)?.map(
          ({command}) => command,
        ) ?? [],
      typing: () => fake.calls("sendChatAction").length,
    }
  },
}
