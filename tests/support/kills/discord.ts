import {guild} from "../../../server/testing/platforms/discord/world.ts"
import {startDiscord} from "../platforms/fakes.ts"
import {type KillPlatform, latency, noting} from "./platform.ts"

const channel = guild.channels[0].id

export const discordUnderKills = async (): Promise<KillPlatform> => {
  const fake = await startDiscord({latency})
  const {world, sessions} = fake
  const arrivals = () => sessions.identified + sessions.resumed
  let before = 0
  return {
    name: "discord",
    account: {api: fake.url, token: "${DISCORD_TOKEN}"},
    env: {DISCORD_TOKEN: "bot-999.right"},
    replays: false,
    hasHistory: true,
    dropsRepeats: false,
    tellsRepeats: true,
    takesActs: true,
    ...noting(text => void fake.write({channel, content: text})),
    launching: () => {
      sessions.cut()
      before = arrivals()
    },
    isConnected: () => sessions.connections > 0,
    isConnecting: () => sessions.connections > 0 && arrivals() === before,
    forget: () => sessions.forget(),
    shown: async () =>
      world
        .in(channel)
        .filter(({author}) => author.bot === true)
        .map(({id, content: text, reference = ""}) => {
          const quotes = world.messages.get(reference)?.content
          return quotes === undefined ? {id, text} : {id, text, quotes}
        }),
    liked: async () => world.in(channel).flatMap(({content, reactions}) => reactions.map(() => content)),
  }
}
