import {hash, randomBytes} from "node:crypto"
import {readdirSync} from "node:fs"
import {createServer, type ServerResponse} from "node:http"
import {describe, expect, test} from "vitest"
import {botMessages, bunAnd, pluginWith, shared, startHost, type TestHost} from "../../support/host/host.ts"
import {listen} from "../../support/machine/listen.ts"

const megabyte = 1024 ** 2
const picture = randomBytes(50_000)

/** A plugin that fetches files by address, in every way that a plugin can. */
const fetcher = pluginWith(`
    const trying = async work => {
      try { await work() } catch (error) { return error.code + ": " + error.message }
    }
    const shown = (address, options) => h("file", {src: file(address, options)})
    plugin.command("get <address:string> [limit:integer]", ({args, session}) =>
      trying(() => session.send(shown(new URL(args.address), {limit: args.limit}))))
    plugin.command("named <address:string>", ({args}) => h("img", {src: file(args.address, {name: "cat.png", type: "image/webp"})}))
    plugin.command("text <address:string>", ({args}) => h("img", {src: args.address}))
    plugin.command("echo", ({session}) => session.elements.slice(1))
    plugin.command("json <address:string>", ({args}) => JSON.parse(JSON.stringify(shown(args.address, {name: "json"}))))
    plugin.command("plain <address:string>", async ({args, session}) =>
      void (await session.send({endpoint: "plain", channel: "x"}, shown(args.address))))
    plugin.command("small <address:string>", ({args, session}) =>
      trying(() => session.send({endpoint: "small", channel: "x"}, shown(args.address))))
    const open = async (_, endpoint) => {
      endpoint.login({platform: endpoint.name})
      return {send: async ({id}) => ({ids: [id]})}
    }
    plugin.adapter("plain", {history: "inside", open})
    plugin.adapter("small", {history: "inside", features: ["files"], limits: {file: 1000}, open})
    let grown = 0
    plugin.command("weigh <address:string>", async ({args, session}) => {
      const before = process.memoryUsage().rss
      const watch = setInterval(() => { grown = Math.max(grown, process.memoryUsage().rss - before) }, 1)
      await session.sendNow(shown(args.address, {limit: 100 * 1024 ** 2}))
      clearInterval(watch)
      return "grown by " + Math.round(grown / 1024 ** 2)
    })`)

const asked: string[] = []
let port = 0
let privatePort = 0

const weigh =
  (megabytes: number) =>
  (response: ServerResponse): void => {
    const piece = Buffer.alloc(megabyte, megabytes)
    let left = megabytes
    const more = () => {
      while (left-- > 0) if (!response.write(piece)) return void response.once("drain", more)
      response.end()
    }
    more()
  }

const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
  "/pictures/cat%20one.png?size=1": response => void response.end(picture),
  "/avatar": response => void response.writeHead(200, {"content-type": "image/jpeg; x=1"}).end(picture),
  "/away": response => void response.writeHead(302, {location: "/avatar"}).end(),
  "/inside": response => void response.writeHead(302, {location: `http://127.0.0.1:${privatePort}/secret`}).end(),
  "/missing": response => void response.writeHead(404).end("no"),
  "/cut": response => {
    response.writeHead(200, {"content-length": 100_000}).write(picture, () => response.destroy())
  },
  "/declared": response => void response.writeHead(200, {"content-length": 900_000_000}).write("x"),
  "/weight": weigh(80),
  "/heavy": weigh(30),
}

const makeServer = () =>
  createServer((request, response) => {
    asked.push(request.url ?? "")
    response.on("error", () => {})
    const answer = answers[request.url ?? ""]
    if (answer === undefined) response.end("secret")
    else answer(response)
  })

shared(async () => {
  port = await listen(makeServer())
  privatePort = await listen(makeServer())
})

const at = (path: string): string => `http://127.0.0.1:${port}${path}`

const stored = async (host: TestHost): Promise<number> => (await host.get("/api/database")).files.count

const leftovers = (host: TestHost): readonly string[] =>
  readdirSync(host.project.path("data/files")).filter(name => name.endsWith(".tmp"))

describe.each(bunAnd("node22"))("files that plugins name by address, on $name", runtime => {
  const started = shared(() =>
    startHost({
      own: true,
      runtime,
      config: `http: {port: 0}
files: {quota: 100, allowPrivate: ["127.0.0.1:${port}"]}
plugins: {sandbox: {}, fetcher: {}}
`,
      plugins: {fetcher},
    }),
  )

  test("are fetched, stored and sent with the best known name and type", async () => {
    const host = started()
    await host.say(`/get ${at("/pictures/cat%20one.png?size=1")}`, {channel: "one"})
    await host.say(`/get ${at("/away")}`, {channel: "one"})
    await host.say(`/named ${at("/avatar")}`, {channel: "one"})
    const size = picture.length
    const sha256 = hash("sha256", picture)
    expect((await botMessages(host, "one")).flatMap(({files}) => files)).toEqual([
      {name: "cat one.png", type: "image/png", size, sha256},
      {name: "away", type: "image/jpeg", size, sha256},
      {name: "cat.png", type: "image/webp", size, sha256},
    ])
    expect(await stored(host)).toBe(1)
  })

  test("are refused and not stored if they are private, too large, cut off or missing", async () => {
    const host = started()
    const before = await stored(host)
    const about = (port: number) => `the file of 127.0.0.1:${port} is not sent:`
    const get = async (path: string, limit = "") => (await host.say(`/get ${at(path)} ${limit}`, {channel: "two"}))[0]
    expect(await get("/inside")).toMatch(new RegExp(`^file_refused: .* 127\\.0\\.0\\.1:${privatePort} .*\\bprivate\\b`))
    expect(asked).not.toContain("/secret")
    expect(await get("/missing")).toBe(`file_unavailable: ${about(port)} 127.0.0.1:${port} answered 404`)
    expect(await get("/cut")).toBe(`file_unavailable: ${about(port)} the file was cut off`)
    expect(await get("/declared")).toBe(
      `file_too_large: ${about(port)} the file has 900000000 bytes; at most 33554432 are allowed`,
    )
    expect(await get("/avatar", "49999")).toMatch(/^file_too_large: .* more than 49999 bytes/)
    expect((await host.say(`/small ${at("/avatar")}`, {channel: "two"}))[0]).toMatch(/^file_too_large: .*1000 /)
    expect(await stored(host)).toBe(before)
    expect(leftovers(host)).toEqual([])
  })

  test("are not requested for an address in text or JSON, or for an endpoint without files", async () => {
    const host = started()
    asked.length = 0
    await host.say(`/text ${at("/avatar")}`, {channel: "three"})
    await host.say(`/json ${at("/avatar")}`, {channel: "three"})
    await host.say(`/plain ${at("/avatar")}`, {channel: "three"})
    expect(asked).toEqual([])
    const [text, json] = await botMessages(host, "three")
    expect(text?.text).toBe(`[img] ${at("/avatar")}`)
    expect(json?.files).toEqual([])
  })

  test("are fetched and stored in constant memory, even 80 MB", async () => {
    const host = started()
    const grown = (await host.say(`/weigh ${at("/weight")}`, {channel: "four"})).at(-1)
    expect((await botMessages(host, "four")).flatMap(({files}) => files)).toMatchObject([
      {name: "weight", type: "application/octet-stream", size: 80 * megabyte},
    ])
    expect(Number(/^grown by (\d+)$/.exec(grown ?? "")?.[1])).toBeLessThan(64)
  })

  test("are refused during the download once they exceed the quota", async () => {
    const host = started()
    const before = await stored(host)
    expect((await host.say(`/get ${at("/heavy")}`, {channel: "five"}))[0]).toMatch(
      /^files_full: .* \d+ bytes .*: files\.quota is 104857600 bytes/,
    )
    expect(await stored(host)).toBe(before)
    expect(leftovers(host)).toEqual([])
  })
})
