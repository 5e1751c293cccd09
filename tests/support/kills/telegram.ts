import {messageOf} from "../../../server/testing/platforms/telegram/chats.ts"
import {startTelegram} from "../platforms/fakes.ts"
import {type KillPlatform, latency, noting} from "./platform.ts"

const token = "999:right-token"

/** Ids of people's messages; the fake gives smaller ones to the bot's. */
const firstId = 1_000_000

export const telegramUnderKills = async (): Promise<KillPlatform> => {
  const fake = await startTelegram({token, latency})
  const texts = new Map<number, string>()
  let polls = 0
  return {
    name: "telegram",
    account: {apiRoot: fake.url, token: "${TELEGRAM_TOKEN}"},
    env: {TELEGRAM_TOKEN: token},
    replays: true,
    hasHistory: false,
    dropsRepeats: false,
    tellsRepeats: false,
    takesActs: true,
    ...noting((text, n) => {
      texts.set(firstId + n, text)
      fake.push({message: messageOf({text}, firstId + n)})
    }),
    launching: () => {
      fake.cut()
      polls = fake.updates.polls
    },
    isConnected: () => fake.open() > 0,
    isConnecting: () => fake.open() > 0 && fake.updates.polls === polls,
    shown: async () =>
      fake.sent().map(({text, answers}) => {
        const quotes = answers === undefined ? undefined : texts.get(answers)
        return quotes === undefined ? {text} : {text, quotes}
      }),
    // A reaction replaces the earlier one.
    liked: async () => [
      ...new Set(fake.calls("setMessageReaction").map(({message_id}) => texts.get(Number(message_id)) ?? "nothing")),
    ],
  }
}
