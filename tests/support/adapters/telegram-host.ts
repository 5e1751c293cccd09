import {type EndpointView, type HostOptions, startHost, type TestHost, untilState} from "../host/host.ts"
import type {TelegramFake} from "../platforms/fakes.ts"
import {pluginWith} from "../plugins/plugin-sources.ts"

/** The token of the tests' bot. It must never be printed. */
export const token = "999:AAtests-own-token"
/** Its secret part. */
export const secretPart = "AAtests-own-token"

/** A bot that says what it is asked to say. */
const words = pluginWith(`
    const bytes = (n: number) => new Uint8Array(2000).fill(n)
    const png = (n: number) => h("img", {src: bytes(n), title: "picture-" + n + ".png", type: "image/png"})
    const pdf = () => h("file", {src: bytes(7), title: "report.pdf", type: "application/pdf"})
    const paint = plugin.action("paint", ({data, session}) => session.user.id + " takes " + data)
    plugin.on("message-created", {name: "words"}, async session => {
      if (session.text === "ping") return "pong"
      if (session.text === "reply") await session.reply("as you say")
      if (session.text === "menu") return ["Which?", paint.button("red", "Red"), paint.button("blue", "Blue")]
      if (session.text === "album") return [png(1), png(2), png(3), h("b", "all"), " of them"]
      if (session.text === "picture and menu") return [png(1), png(2), "Which?", paint.button("red", "Red")]
      if (session.text === "long album") return [png(1), png(2), pdf(), "word ".repeat(400)]
      if (session.text === "edit") await session.edit(await session.send("draft"), ["final ", h("i", "text")])
      if (session.text === "edit caption") await session.edit(await session.send([png(1), "draft"]), "final")
      if (session.text === "edit picture") await session.edit(await session.send([png(1), "draft"]), [png(2), "final"])
      if (session.text === "echo") return session.elements
      const [file] = session.files
      if (file !== undefined) {
        const bytes = await new Response(await file.read()).arrayBuffer()
        return [file.name + ": " + bytes.byteLength, h("file", {src: file.src, title: file.name})]
      }
    })
    plugin.on("reaction-added", {name: "reactions"}, async session => {
      await session.send("thanks for " + session.event.emoji.id)
    })`)

export const accountAt = (fake: TelegramFake, more: Readonly<Record<string, unknown>> = {}) => ({
  id: "main",
  token: "${BOT_TOKEN}",
  apiRoot: fake.url,
  ...more,
})

/** A configuration with these accounts, as JSON, which is also YAML. */
export const telegramConfig = (
  accounts: readonly Readonly<Record<string, unknown>>[],
  http: Readonly<Record<string, unknown>> = {},
): string => JSON.stringify({http: {port: 0, ...http}, plugins: {telegram: {endpoints: accounts}, words: {}}})

export const startTelegramHost = (
  accounts: readonly Readonly<Record<string, unknown>>[],
  {http, ...options}: Omit<HostOptions, "config" | "plugins"> & {http?: Readonly<Record<string, unknown>>} = {},
): Promise<TestHost> =>
  startHost({
    config: telegramConfig(accounts, http),
    plugins: {words},
    ...options,
    env: {BOT_TOKEN: token, ...options.env},
  })

/** Waits until an endpoint is in a state; resolves to its entry in the API. */
export const untilTelegram = (host: TestHost, state: string, id = "main"): Promise<EndpointView> =>
  untilState(host, `telegram~${id}`, state)
