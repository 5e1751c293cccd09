import type {AdapterUnderTest, FileUnderTest} from "../../../server/testing/adapter/conformance.ts"
import {guild} from "../../../server/testing/platforms/discord/world.ts"
import {startDiscord} from "../platforms/fakes.ts"

const channel = guild.channels[0].id

/** The built-in adapter `discord` at the tests' fake. */
export const discord: AdapterUnderTest = {
  use: "discord",
  name: "discord",
  env: {DISCORD_TOKEN: "bot-999.token", WRONG_TOKEN: "wrong"},
  platform: async () => {
    const fake = await startDiscord()
    const account = {id: "one", api: fake.url}
    const ann = fake.world.user("42")
    const fileOf = ({name, type, bytes}: FileUnderTest) => ({id: fake.world.makeId(), name, type, bytes})
    return {
      account: {...account, token: "${DISCORD_TOKEN}"},
      refused: {...account, token: "${WRONG_TOKEN}"},
      hostile: ({port, isSecure}) => ({
        account: {...account, token: "${WRONG_TOKEN}", api: `${isSecure ? "https" : "http"}://127.0.0.1:${port}`},
        answers: {
          "/gateway/bot": {
            url: `ws://127.0.0.1:${port}`,
            shards: 1,
            session_start_limit: {total: 1000, remaining: 999, reset_after: 0, max_concurrency: 1},
          },
        },
      }),
      channel,
      user: "42",
      calls: {
        "guild.list": {},
        "guild.member.get": {guild_id: guild.id, user_id: "42"},
        "guild.member.list": {guild_id: guild.id},
        "guild.member.mute": {guild_id: guild.id, user_id: "42", duration: 60_000},
        "guild.member.kick": {guild_id: guild.id, user_id: "43"},
        "guild.member.role.set": {guild_id: guild.id, user_id: "42", role_id: "700"},
        "guild.role.list": {guild_id: guild.id},
        "channel.list": {guild_id: guild.id},
      },
      say: async text => void fake.write({channel, content: text, author: ann}),
      sayFile: async file => void fake.write({channel, content: "", author: ann, files: [fileOf(file)]}),
      repeat: async () => fake.repeat(),
      heard: () =>
        fake.world
          .in(channel)
          .filter(({author}) => author.bot === true)
          .map(({content, at, reactions, files}) => ({
            text: content,
            at,
            reactions: reactions.map(({emoji}) => emoji),
            files: files.map(({name, bytes}) => ({name, bytes})),
          })),
      cut: () => fake.sessions.cut(),
      connections: () => fake.sessions.connections,
      slowDown: milliseconds => fake.slowDown(milliseconds),
      commands: () => [...fake.world.commands.values()].flat().map(({name}) => name),
      typing: () => fake.typing(channel),
    }
  },
}
