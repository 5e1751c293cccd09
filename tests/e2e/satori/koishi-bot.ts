import {createRequire} from "node:module"

/**
 * Stock Koishi with its own Satori adapter, loaded from its installation folder. It prints each message and each status
 * change of a bot as a line of JSON. It answers `.kping <text>` with `kpong <text>`. `.kedit <text>` sends a draft,
 * edits it to the text, then sends another message and deletes that one. `.kfile <text>` uploads the text and sends it
 * as a file. `.kread` answers with the content of the message's file.
 */
interface Bot {
  readonly sid: string
  readonly status: number
}

interface Acts {
  readonly channelId: string
  readonly elements: readonly {readonly type: string; readonly attrs: {readonly src: string}}[]
  readonly bot: {
    sendMessage(channel: string, text: string): Promise<readonly string[]>
    editMessage(channel: string, message: string, text: string): Promise<void>
    deleteMessage(channel: string, message: string): Promise<void>
    createUpload(file: {data: Uint8Array; type: string; filename: string}): Promise<Readonly<Record<string, string>>>
  }
}

interface Session {
  readonly content: string
  readonly platform: string
  readonly channelId: string
  readonly event: {readonly sn: number}
}

interface Command {
  action(answer: (argv: {readonly session: Acts}, text: string) => string | Promise<string>): void
}

interface App {
  readonly http: {file(url: string): Promise<{readonly data: ArrayBuffer}>}
  command(pattern: string): Command
  on(name: "message", listener: (session: Session) => void): void
  on(name: "bot-status-updated", listener: (bot: Bot) => void): void
  plugin(plugin: unknown, config?: object): void
  start(): Promise<void>
}

const [folder = "", endpoint, token] = process.argv.slice(2)
const require = createRequire(`${folder}/package.json`)
const {Context}: {Context: new (config: object) => App} = require("koishi")
const tell = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)

const app = new Context({prefix: ["."]})
app.command("kping <text:text>").action((_, text) => `kpong ${text}`)
app.command("kedit <text:text>").action(async ({session: {bot, channelId}}, text) => {
  const [draft = ""] = await bot.sendMessage(channelId, "draft")
  await bot.editMessage(channelId, draft, text)
  const [gone = ""] = await bot.sendMessage(channelId, "gone")
  await bot.deleteMessage(channelId, gone)
  return "done"
})
app.command("kfile <text:text>").action(async ({session: {bot}}, text) => {
  const data = new TextEncoder().encode(text)
  const links = await bot.createUpload({data, type: "text/plain", filename: "from koishi.txt"})
  return `<file src="${Object.values(links)[0]}"/>`
})
app.command("kread").action(async ({session: {elements}}) => {
  const src = elements.find(({type}) => type === "file")?.attrs.src ?? ""
  return new TextDecoder().decode((await app.http.file(src)).data)
})
app.on("message", ({event, content, platform, channelId}) =>
  tell({sn: event.sn, content, platform, channel: channelId}),
)
app.on("bot-status-updated", ({sid, status}) => tell({bot: sid, status}))
app.plugin(require("@koishijs/plugin-http").default)
app.plugin(require("@satorijs/adapter-satori").default, {
  endpoint,
  token,
  retryInterval: 200,
  retryLazy: 200,
  retryTimes: 1000,
})
await app.start()
