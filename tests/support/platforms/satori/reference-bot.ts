import {createRequire} from "node:module"

/**
 * The reference server of Satori (`@satorijs/server` at `@satorijs/satori` 3, the generation before Koishi 4.18), with a bot of the tests
 * behind it. Takes what people do by POST /tell, and prints what the bot is told to do, a line of JSON each.
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
const tell = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)
const bots = new Map<string, ReferenceBot>()
let made = 0

class TestBot extends Bot {
  constructor(ctx: unknown, {id}: {id: string}) {
    super(ctx, {}, "testing")
    this.selfId = id
    this.user = {id, name: id}
    this.status = 1
    bots.set(id, this as never)
  }
  // Connects to nothing.
  async start() {}

  async createMessage(channel: string, content: string) {
    const id = `reference-${++made}`
    tell({did: "createMessage", channel, content, id})
    return [{id, content}]
  }
  async editMessage(channel: string, message: string, content: string) {
    tell({did: "editMessage", channel, message, content})
  }
  async deleteMessage(channel: string, message: string) {
    tell({did: "deleteMessage", channel, message})
  }
  async createReaction(channel: string, message: string, emoji: string) {
    tell({did: "createReaction", channel, message, emoji})
  }
  async createDirectChannel(user: string) {
    return {id: `private:${user}`, type: 1}
  }
  async muteGuildMember(guild: string, user: string, duration: number) {
    tell({did: "muteGuildMember", guild, user, duration})
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
