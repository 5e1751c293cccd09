/**
 * The main files that load the idioms of docs/coming-from.md into one bot per framework. Each takes the fake platform's
 * address from `PLATFORM`, and the idioms from its own folder.
 */
const grammy = `
import {Bot} from "grammy"
const names = ["name", "count", "remind"]
const bot = new Bot("999:token", {client: {apiRoot: process.env.PLATFORM}})
for (const name of names) (await import("./" + name + ".ts")).apply(bot)
await bot.start()
`

/** The beginning of an application of Koishi. */
export const koishiApp = `
import {createRequire} from "node:module"
const require = createRequire(import.meta.url)
const {Context, Schema} = require("koishi")
const app = new Context({prefix: "/", nickname: []})
const load = (name, config) => app.plugin(require(name).default ?? require(name), config)
load("@koishijs/plugin-http")
`

const koishi = `${koishiApp}load("@koishijs/plugin-database-memory")
const account = {protocol: "polling", token: "999:token", endpoint: process.env.PLATFORM, pollingTimeout: 2000, files: {}}
load("@satorijs/adapter-telegram", account)
for (const name of ["count", "remind", "name"])
  app.plugin({...require("./" + name + ".cjs"), name})
await app.start()
`

const discord = `
import {Client, GatewayIntentBits, Partials} from "discord.js"
const {DirectMessages, MessageContent} = GatewayIntentBits
const client = new Client({intents: [DirectMessages, MessageContent], partials: [Partials.Channel], rest: {api: process.env.PLATFORM}})
for (const name of ["name", "remind"])
  (await import("./" + name + ".ts")).apply(client)
await client.login("token")
`

/** Hubot has no adapter for a chat platform except its shell; this one polls. */
const hubot = `
import {Adapter, Robot, TextMessage, User} from "hubot"
const call = async (method, fields) => {
  const headers = {"content-type": "application/json"}
  const answer = await fetch(process.env.PLATFORM + "/bottoken/" + method, {method: "POST", headers, body: JSON.stringify(fields)})
  return (await answer.json()).result
}
class Polling extends Adapter {
  async send({room}, ...texts) {
    for (const text of texts) await call("sendMessage", {chat_id: room, text})
  }
  async run() {
    this.emit("connected")
    for (let offset = 0; ; ) {
      for (const {update_id, message} of await call("getUpdates", {offset, timeout: 2})) {
        offset = update_id + 1
        const user = new User(String(message.from.id), {room: String(message.chat.id)})
        await this.robot.receive(new TextMessage(user, message.text, String(message.message_id)))
      }
    }
  }
}
const robot = new Robot({name: "polling", use: robot => new Polling(robot)}, false, "bot")
await robot.loadAdapter()
for (const name of ["count", "remind", "name"])
  (await import("./" + name + ".mjs")).default(robot)
await robot.run()
`

export const idiomBots: Readonly<Record<string, string>> = {grammy, koishi, discord, hubot}
