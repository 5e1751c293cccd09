import {createRequire} from "node:module"
import {tell, tellingBot} from "./telling-bot.ts"

/**
 * The reference server of Satori (`@satorijs/server` at `@satorijs/satori` 3, the generation before Koishi 4.18), with
 * a bot of the tests. POST /tell delivers people's actions. It prints the bot's actions as lines of JSON.
 */
interface Said {
  readonly bot?: string
  readonly status?: number
  readonly type?: string
  readonly [key: string]: unknown
}

interface ReferenceBot {
  selfId: string
  user: object
  status: number
  session(event: object): object
  dispatch(session: object): void
}

const [folder = "", port, token] = process.argv.slice(2)
const require = createRequire(`${folder}/package.json`)
const {Context, Bot} = require("@satorijs/satori")
const {Router} = require("@satorijs/router")
const bots = new Map<string, ReferenceBot>()

class TestBot extends (tellingBot(Bot, "reference") as typeof Bot) {
  constructor(ctx: unknown, {id}: {id: string}) {
    super(ctx, {}, "testing")
    this.selfId = id
    this.user = {id, name: id}
    this.status = 1
    bots.set(id, this as never)
  }

  async createReaction(channel: string, message: string, emoji: string) {
    tell({did: "createReaction", channel, message, emoji})
  }
}

const app = new Context({})
// Koishi did this for its plugins.
app.provide("router", undefined, true)
app.router = new Router(app, {host: "127.0.0.1", port: Number(port)})
app.plugin(require("@satorijs/server"), {token, webhooks: []})
app.plugin(TestBot, {id: "one"})
app.plugin(TestBot, {id: "two"})
app.start().then(() => tell({started: true}))

app.router.post("/tell", (koa: {request: {body: Said}; status: number}) => {
  const {bot: id = "one", status, ...event} = koa.request.body
  koa.status = 204
  const bot = bots.get(id)
  if (bot === undefined) return
  if (status !== undefined) bot.status = status
  else bot.dispatch(bot.session({timestamp: Date.now(), ...event}))
})
