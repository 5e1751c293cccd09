import {createRequire} from "node:module"
import {startKoishiServer} from "./koishi-server-plugin.ts"
import {tell, tellingBot} from "./telling-bot.ts"

/**
 * Koishi 4.18 with a Satori server plugin of the tests, and a bot of the tests on Koishi's own `Bot`. It takes what people do by
 * POST /tell, and prints what the bot is told to do, a line of JSON each.
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
    // Koishi reads elements out of it, as its own adapters have it do.
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
