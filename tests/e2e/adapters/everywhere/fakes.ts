import {FakeSlack} from "../../../../server/testing/platforms/slack/slack.ts"
import {tokens as slackTokens} from "../../../../server/testing/platforms/slack/world.ts"
import {token as telegramToken} from "../../../support/adapters/telegram-host.ts"
import {until} from "../../../support/host/process.ts"
import {whenOver} from "../../../support/host/shared.ts"
import {startDiscord, startTelegram} from "../../../support/platforms/fakes.ts"
import {group, groupMessage, token as onebotToken, startOneBot} from "../../../support/platforms/onebot/onebot.ts"
import {koishiToken, startKoishiServer} from "../../../support/platforms/satori/koishi-server.ts"
import type {Place, Who} from "./place.ts"

/** The user ids on platforms that identify people by numbers. */
const numbers: Readonly<Record<Who, string>> = {ann: "42", bob: "43", cid: "44", eve: "45"}

export const telegramPlace = async (): Promise<Place> => {
  const fake = await startTelegram({token: telegramToken})
  const chat = "-100500"
  return {
    name: "telegram~one",
    counterpart: "fake",
    env: {BOT_TOKEN: telegramToken},
    account: {id: "one", token: "${BOT_TOKEN}", apiRoot: fake.url},
    isShared: true,
    say: (who, text) => fake.say({text, user: numbers[who], chat}),
    heard: () => fake.sent().map(({text}) => text),
    press: (who, label) => void fake.press(label, {user: numbers[who]}),
    judged: "deleted, muted",
    didJudge: () => fake.calls("restrictChatMember").length > 0,
  }
}

export const discordPlace = async (): Promise<Place> => {
  const fake = await startDiscord()
  for (const id of Object.values(numbers)) fake.world.members.set(id, {until: null, roles: new Set()})
  const channel = "600"
  let spam = ""
  return {
    name: "discord~one",
    counterpart: "fake",
    env: {DISCORD_TOKEN: "bot-999.right"},
    account: {id: "one", token: "${DISCORD_TOKEN}", api: fake.url},
    isShared: true,
    say: (who, content) => {
      const {id} = fake.write({channel, content, author: fake.world.user(numbers[who])})
      if (who === "eve") spam = id
    },
    heard: () => fake.sent().map(({text}) => text),
    press: (who, label) => fake.press(label, {user: numbers[who]}),
    judged: "deleted, muted",
    didJudge: () => !fake.world.messages.has(spam) && fake.world.members.get(numbers.eve)?.until !== null,
  }
}

export const slackPlace = async (): Promise<Place> => {
  const fake = await FakeSlack.start(whenOver)
  const ids: Readonly<Record<Who, string>> = {ann: "U0ANN", bob: "U0BOB", cid: "U0CID", eve: "U0EVE"}
  for (const id of Object.values(ids)) fake.world.members.get("C0ROOM")?.add(id)
  let spam = ""
  return {
    name: "slack~one",
    counterpart: "fake",
    env: {SLACK_BOT: slackTokens.bot, SLACK_APP: slackTokens.app},
    account: {id: "one", botToken: "${SLACK_BOT}", appToken: "${SLACK_APP}", api: `${fake.url}/api/`},
    isShared: true,
    language: "de",
    say: async (who, text) => {
      const {ts} = await fake.say(text, {user: ids[who]})
      if (who === "eve") spam = String(ts)
    },
    heard: () => fake.world.messages.filter(({user}) => user === "U0BOT").map(({shown}) => shown),
    press: async (who, label) => void (await fake.press(label, {user: ids[who]})),
    judged: "deleted, not muted",
    didJudge: () => fake.world.find("C0ROOM", spam) === undefined,
  }
}

export const onebotPlace = async (): Promise<Place> => {
  const fake = await startOneBot()
  let number = 1000
  return {
    name: "onebot~one",
    counterpart: "fake",
    env: {ONEBOT_TOKEN: onebotToken},
    account: {id: "one", url: fake.wsUrl, accessToken: "${ONEBOT_TOKEN}"},
    isShared: true,
    say: async (who, text) => {
      const event = groupMessage([{type: "text", data: {text}}], ++number, Number(numbers[who]))
      await until("a connection of the bot", () => fake.connections() > 0 && fake.report(event) > 0)
    },
    heard: () =>
      fake.sent().map(({params}) => {
        const segments = params.message as readonly {readonly data: {readonly text?: string}}[]
        return segments.map(({data}) => data.text ?? "").join("")
      }),
    judged: "deleted, muted",
    didJudge: () =>
      ["delete_msg", "set_group_ban"].every(action => fake.asked.some(asked => asked.action === action)) &&
      fake.asked.some(({params}) => String(params.group_id) === String(group)),
  }
}

/** Koishi 4.18 with the tests' Satori server plugin. */
export const satoriPlace = async (): Promise<Place> => {
  const koishi = await startKoishiServer()
  let number = 0
  const where = (who: Who) => ({channel: {id: "hall", type: 0}, guild: {id: "guild"}, user: {id: who, name: who}})
  const shown = () => {
    const said = new Map<string, string>()
    for (const {did, id, message, content = ""} of koishi.deeds()) {
      if (did === "createMessage") said.set(id ?? "", content)
      if (did === "editMessage") said.set(message ?? "", content)
    }
    return [...said.values()]
  }
  const plain = (content: string) =>
    content
      .replace(/<br\s*\/?>|<button/g, "\n$&")
      .replace(/<[^>]*>/g, "")
      .replaceAll("&quot;", '"')
      .replaceAll("&amp;", "&")
  return {
    name: "satori~one",
    counterpart: "real Koishi",
    env: {SATORI_TOKEN: koishiToken},
    account: {id: "one", url: koishi.url, token: "${SATORI_TOKEN}", platform: "testing", user: "koi", buttons: true},
    isShared: true,
    say: (who, text) =>
      koishi.tell({type: "message-created", ...where(who), message: {id: `m${++number}`, content: text}}),
    heard: () => shown().map(plain),
    press: async (who, label) => {
      const buttons = shown().flatMap(content => [
        ...content.matchAll(/<button [^>]*?id="([^"]*)"[^>]*>([^<]*)<\/button>/g),
      ])
      const id = buttons.findLast(([, , text]) => text === label)?.[1]
      await koishi.tell({type: "interaction/button", ...where(who), button: {id}})
    },
    judged: "deleted, muted",
    didJudge: () => ["deleteMessage", "muteGuildMember"].every(did => koishi.deeds().some(deed => deed.did === did)),
  }
}
