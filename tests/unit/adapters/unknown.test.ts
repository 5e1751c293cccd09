import {readFileSync} from "node:fs"
import type {Update} from "grammy/types"
import type {IPublishPacket} from "mqtt"
import {describe, expect, test} from "vitest"
import {Places} from "../../../server/adapters/discord/api/places.ts"
import {isRead, readEvent as readDiscord} from "../../../server/adapters/discord/gateway/events.ts"
import {readInteraction as readDiscordPress} from "../../../server/adapters/discord/interactions/read.ts"
import {readEvent as readMatrix} from "../../../server/adapters/matrix/client/event.ts"
import {nodesOfMessage} from "../../../server/adapters/matrix/format/incoming.ts"
import {toEvent as readMqtt} from "../../../server/adapters/mqtt/receive.ts"
import {isUnknown, toEvent as readOneBot} from "../../../server/adapters/onebot/events.ts"
import {isKnown, incomingOf as readSatori} from "../../../server/adapters/satori/event.ts"
import {readEvents as readSlack, unreadType} from "../../../server/adapters/slack/incoming/events.ts"
import {readCommand, readInteraction} from "../../../server/adapters/slack/incoming/interactions.ts"
import {Threads} from "../../../server/adapters/slack/incoming/threads.ts"
import {readUpdate} from "../../../server/adapters/telegram/incoming/events.ts"
import {eventsOf as readXmpp} from "../../../server/adapters/xmpp/content/events.ts"
import {Memory} from "../../../server/adapters/xmpp/content/memory.ts"
import type {Endpoint} from "../../../server/endpoints/endpoint.ts"
import {requireEvent} from "../../../server/inbox/intake/incoming.ts"
import {type Incoming, isProblem, renderContent} from "../../../shared/sdk/sdk.ts"
import {parseXml} from "../../support/platforms/xmpp/parse.ts"

type Json = null | string | number | boolean | readonly Json[] | Fields
type Fields = {readonly [key: string]: Json}

/** What platforms send, in the form of their documentation. Each says "hi", or has a button "b". */
const examples: readonly {readonly platform: string; readonly sent: Fields}[] = readFileSync(
  new URL("examples.jsonl", import.meta.url),
  "utf8",
)
  .trim()
  .split("\n")
  .map(line => JSON.parse(line))

interface Platform {
  /** Reads what the platform sent, as the adapter does. */
  readonly read: (sent: Fields) => Incoming | undefined
  /** The properties without which there is no event. */
  readonly needs: string
}

const places = () => new Places()
const discord = {places: places(), me: "999", session: {id: "s1", since: 0}}
const slack = {me: {user: "U0BOT"}, threads: new Threads()}
const self = {id: "@bot:a.test", name: "Bot"}

const ada = {id: 7, is_bot: false, first_name: "Ada", last_name: "L.", username: "ada", language_code: "de"}
const chat = {id: -1001, type: "supergroup", title: "Team", is_forum: true}
const post = {message_id: 3, date: 1_700_000_000, chat, from: ada, text: "hi"}

const messages = "message edited_message callback_query"

const platforms: Readonly<Record<string, Platform>> = {
  telegram: {
    read: sent => readUpdate(sent as unknown as Update, {id: 999, username: "bot"})[0],
    needs: `callback_query.from update_id ${messages} message_id date id chat text caption data type`,
  },
  discord: {
    read: ({t, d}) => readDiscord({name: String(t), sequence: 7, data: d as Fields, at: 0}, discord)[0],
    needs: "t d id author content type message_id user_id emoji name",
  },
  "discord's presses": {
    read: sent => readDiscordPress(sent, {places: places(), form: () => undefined})?.events[0],
    needs: "id token application_id type data custom_id",
  },
  slack: {
    read: sent => readSlack(sent, slack)[0],
    needs: "event_id event type channel user ts text subtype message edited",
  },
  "slack's presses": {
    read: sent => readInteraction(sent)[0] ?? readCommand(sent)[0],
    needs:
      "type user channel id ts action_id action_ts actions value message user_id channel_id command trigger_id text",
  },
  matrix: {
    read: sent => {
      const event = readMatrix(sent)
      const read = {self, name: "Ann", isReply: false}
      const nodes = event && nodesOfMessage(event.content, String(event.content.msgtype), read)
      return (
        event &&
        nodes && {
          id: event.id,
          type: event.type,
          timestamp: event.at,
          message: {id: event.id, content: renderContent(nodes)},
        }
      )
    },
    needs: "event_id type sender content msgtype body formatted_body format url",
  },
  onebot: {
    read: readOneBot,
    needs: "post_type message_type message_id user_id message type data text group_id self_id",
  },
  satori: {
    read: sent => readSatori(sent, {login: {user: {id: "bot"}}, proxies: []}),
    needs: "type channel id message content sn timestamp",
  },
  mqtt: {
    read: sent =>
      readMqtt(
        {
          ...(sent as object),
          payload: Buffer.from(JSON.stringify(sent.payload)),
          topic: "a",
          cmd: "publish",
        } as IPublishPacket,
        {url: "mqtt://a.test", clientId: "b", subscribe: [{topic: "#"}], payload: {format: "json"}},
      )?.event,
    needs: "payload text",
  },
}

const others: readonly Json[] = [{x_new: 1}, ["x_new"], "x_new", 7, true, null]

/** Yields each object with a new property, and each value as another type, with the name of its property. */
function* changed(value: Json, name = ""): Generator<readonly [string, Json]> {
  if (Array.isArray(value)) {
    for (const [at, each] of value.entries())
      for (const [key, inner] of changed(each, name)) yield [key, value.with(at, inner)]
    yield [`+${name}`, [...value, ...others]]
  } else if (typeof value === "object" && value !== null) {
    yield ["+", {...value, x_new: {is: ["new"]}}]
    for (const [key, each] of Object.entries(value)) {
      for (const other of others)
        if (typeof other !== typeof each || Array.isArray(other) !== Array.isArray(each))
          yield [`${name}.${key}`, {...value, [key]: other}]
      for (const [inner, made] of changed(each, key)) yield [inner, {...value, [key]: made}]
    }
  }
}

const says = (event: Incoming | undefined) => [event?.message?.content, event?.button?.id, event?.emoji?.id].join(" ")

describe.each(Object.entries(platforms))("%s,", (platform, {read, needs}) => {
  const sent = examples.filter(each => each.platform === platform).map(each => each.sent)
  const endpoint = {spec: {history: "none"}} as Endpoint

  test("what is new or has another type makes no event invalid, and loses none that does not need it", () => {
    const wrong: unknown[] = []
    for (const each of sent) {
      expect(says(read(each))).toMatch(/\b(hi|b)\b/)
      for (const [name, made] of changed(each)) {
        const isNeeded = needs.split(" ").some(need => name === need || name.endsWith(`.${need}`))
        try {
          const event = read(made as Fields)
          if (event !== undefined) requireEvent(endpoint, event)
          if (!isNeeded && !/\b(hi|b)\b/.test(says(event))) wrong.push(["lost", name, made])
        } catch (error) {
          if (!isNeeded || !isProblem(error, "event_invalid")) wrong.push([String(error), name, made])
        }
      }
    }
    expect(wrong.map(each => JSON.stringify(each).slice(0, 300))).toEqual([])
  })
})

test("xmpp, elements and attributes that no version has change nothing", () => {
  const room = {
    channel: {id: "r@a.test", type: 0},
    guild: {id: "r@a.test"},
    user: {id: "r@a.test/ann"},
    bot: {id: "bot@a.test", name: "bot"},
  }
  const odd = "<x-new xmlns='urn:x:new' id='1'><body>odd</body></x-new>"
  const usual = [
    "<body x-new='1'>hi</body>",
    "<reply xmlns='urn:xmpp:reply:0' id='q'/>",
    "<x xmlns='jabber:x:oob'><url>https://a.test/a</url></x>",
  ]
  for (let at = 0; at <= usual.length; at++) {
    const stanza = parseXml(`<message x-new='1'>${usual.toSpliced(at, 0, odd).join(odd)}</message>`)
    const [event] = readXmpp(stanza, {id: "e", message: "m", origin: "o", at: 5}, room, new Memory())
    expect(event?.message?.content).toMatch(/^<quote id="q"\/>hi<.*https:\/\/a\.test\/a/)
  }
})

test("a kind of event that no version has is counted, and others are not", () => {
  const telegram = (update: object) => {
    const unknown: string[] = []
    readUpdate(update as Update, {id: 999, username: "bot"}, what => unknown.push(what))
    return unknown
  }
  expect(
    telegram({
      update_id: 5,
      message: {...post, reply_markup: {}, entities: [{type: "hologram", offset: 0, length: 2}]},
    }),
  ).toEqual([])
  expect(telegram({update_id: 5, x_new: {}})).toEqual(["x_new"])
  expect(telegram({update_id: 5, message: {...post, from: "Ada", photo: [7]}})).toEqual(["from", "photo"])
  expect(["MESSAGE_CREATE", "X_NEW"].map(isRead)).toEqual([true, false])
  expect(["message", "x_new"].map(type => unreadType({event: {type}}))).toEqual([undefined, "x_new"])
  expect(["message-created", "x-new"].map(isKnown)).toEqual([true, false])
  expect(["message_sent", "x_new"].map(post_type => isUnknown({post_type}))).toEqual([false, true])
})
