import {createRequire} from "node:module"
import {startKoishiServer} from "./koishi-server-plugin.ts"
import {tell, tellingBot} from "./telling-bot.ts"

/**
 * Koishi 4.18 with the tests' Satori server plugin, and with a bot on Koishi's own `Bot`. POST /tell delivers people's
 * actions. It prints the bot's actions as lines of JSON.
 */
interface TestBot {
  session(event: object): {content?: string}
  dispatch(session: object): void
}

const [folder = "", port, token = ""] = process.argv.slice(2)
const require = createRequire(`${folder}/package.json`)
const {Context, Bot, Universal} = require("koishi")
let bot: TestBot | undefined

class KoishiBot extends (tellingBot(Bot, "koishi") as typeof Bot) {
  constructor(ctx: unknown) {
    super(ctx, {}, "testing")
    this.platform = "testing"
    this.selfId = "koi"
    this.user = {id: "koi", name: "koi"}
    this.status = Universal.Status.ONLINE
    bot = this as never
  }
}

const app = new Context({prefix: ["."]})
app.plugin(require("@koishijs/plugin-server").default, {host: "127.0.0.1", port: Number(port)})
app.plugin(KoishiBot)
app.inject(["server"], (ctx: never) => {
  startKoishiServer(ctx, Universal, token, () => bot)
  const {server} = ctx as {server: {post(path: string, handle: (koa: TellRequest) => void): void}}
  server.post("/tell", koa => {
    koa.status = 204
    if (bot === undefined) return
    const session = bot.session({timestamp: Date.now(), ...koa.request.body})
    // Koishi parses elements from it, as it does for its own adapters.
    const {message} = koa.request.body
    if (message !== undefined) session.content = message.content
    bot.dispatch(session)
  })
})
await app.start()
tell({started: true})

interface TellRequest {
  status: number
  readonly request: {readonly body: {readonly message?: {readonly content: string}}}
}
