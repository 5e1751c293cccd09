import {mkdtempSync, readdirSync, rmSync} from "node:fs"
import {connect} from "node:net"
import {join} from "node:path"
import {build} from "esbuild"
import {beforeAll, describe, expect, onTestFinished, test} from "vitest"
import {nodeBundle} from "../../../scripts/build/bundles.ts"
import {onBun, root, runtimes, startProcess, type TestRuntime, until, untilPrinted} from "../../support/host/host.ts"
import {raw} from "../../support/http/raw.ts"
import {handshake} from "../../support/satori/satori.ts"
import {openSocket} from "../../support/satori/socket.ts"

const source = `${root}tests/support/satori/socket-server.ts`
const built = `${root}node_modules/.cache/svc-tests`

const buildInto = (outdir: string) => build({entryPoints: [source], outdir, ...nodeBundle, logLevel: "warning"})

beforeAll(() => buildInto(built))

const startServer = async (
  runtime: TestRuntime,
  {folder = built, args = []}: {folder?: string; args?: string[]} = {},
) => {
  const script = runtime === onBun ? source : `${folder}/socket-server.js`
  const server = startProcess([runtime.command[0] ?? "", script, ...args])
  const [, port] = await until("the server to listen", () => server.output().match(/port (\d+)/) ?? undefined)
  return {server, port: Number(port)}
}

const headers = {authorization: "Bearer socket-token"}

const connectTo = (port: number) => openSocket(`ws://127.0.0.1:${port}/`, headers)

const post = (port: number, body: string) =>
  fetch(`http://127.0.0.1:${port}/`, {method: "POST", body}).then(async answer => [answer.status, await answer.text()])

const onNode = runtimes.filter(runtime => runtime !== onBun)

describe.each(onNode)("Fetch on $name, which the first request or upgrade loads,", runtime => {
  test("answers each of those that come meanwhile", async () => {
    const {server, port} = await startServer(runtime)
    const bodies = ["", "a", "b".repeat(100_000), "c".repeat(1_000_000)]
    const left = connect(port, "127.0.0.1", () => left.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n"))
    left.on("error", () => {})
    const [socket, ...answers] = await Promise.all([connectTo(port), ...bodies.map(body => post(port, body))])
    left.resetAndDestroy()
    expect(answers).toEqual(bodies.map(body => [201, `got ${body}`]))
    server.child.kill("SIGTERM")
    expect(await socket.closeCode()).toBe(1001)
    expect((await server.finished).code).toBe(0)
  })

  test("lets the server close before and while it is loaded", async () => {
    const posting = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n"
    for (const asks of [[], [posting, handshake("/", "Bearer wrong")]]) {
      const {server, port} = await startServer(runtime)
      await Promise.all(
        asks.map(ask => {
          const client = connect(port, "127.0.0.1").on("error", () => {})
          return new Promise(done => client.write(ask, done))
        }),
      )
      server.child.kill("SIGTERM")
      expect((await server.finished).code).toBe(0)
    }
  })

  test("writes an answer of a Response class that was taken before", async () => {
    const {port} = await startServer(runtime, {args: ["early"]})
    expect(await post(port, "a")).toEqual([201, "got a"])
    expect(await post(port, "b")).toEqual([201, "got b"])
  })

  test("is an error of the server for each of them if it cannot be loaded", async () => {
    const folder = mkdtempSync(join(built, "without-"))
    onTestFinished(() => rmSync(folder, {recursive: true}))
    await buildInto(folder)
    const {port} = await startServer(runtime, {folder})
    for (const file of readdirSync(folder)) if (file.startsWith("fetch-on-node")) rmSync(join(folder, file))
    const url = `http://127.0.0.1:${port}`
    expect(await post(port, "a")).toEqual([500, expect.stringMatching(/./)])
    expect(await raw({url}, handshake("/", headers.authorization))).toMatch(/^HTTP\/1\.1 500 /)
  })
})

describe.each(runtimes)("the WebSocket seam on $name", runtime => {
  test("returns text and bytes as they were sent", async () => {
    const {port} = await startServer(runtime)
    const {socket, messages} = await connectTo(port)
    socket.send("größe")
    socket.send(new Uint8Array([0, 255, 7]))
    await until("both to return", () => messages.length === 2)
    expect(messages[0]).toBe("größe")
    expect([...new Uint8Array(messages[1] as ArrayBuffer)]).toEqual([0, 255, 7])
  })

  test("refuses an upgrade without the token with an answer that has a body", async () => {
    const {port} = await startServer(runtime)
    const answer = await raw({url: `http://127.0.0.1:${port}`}, handshake("/", "Bearer wrong"), /no token/)
    expect(answer).toMatch(/^HTTP\/1\.1 401 [\s\S]*no token/)
  })

  test("accepts a message of 1 MiB, and closes with 1009 at one byte more", async () => {
    const {server, port} = await startServer(runtime)
    const {socket, messages, closeCode} = await connectTo(port)
    socket.send("x".repeat(1024 * 1024))
    await until("it to return", () => messages.length === 1)
    socket.send("x".repeat(1024 * 1024 + 1))
    expect(await closeCode()).toBe(1009)
    await untilPrinted(server, "close ")
  })

  test("closes with 1001 when the Host ends, even for a client that reads nothing", async () => {
    const {server, port} = await startServer(runtime)
    const {closeCode} = await connectTo(port)
    const stalled = connect(port, "127.0.0.1", () => stalled.write(handshake("/", headers.authorization)))
    stalled.on("error", () => {})
    await until("both to be open", () => server.output().split("open").length === 3)
    stalled.pause()
    const mask = Buffer.alloc(4)
    stalled.write(Buffer.concat([Buffer.from([0x81, 0x80 | 5]), mask, Buffer.from("flood")]))
    await new Promise(resolve => setTimeout(resolve, 300))
    server.child.kill("SIGTERM")
    expect(await closeCode()).toBe(1001)
    expect((await server.finished).code).toBe(0)
    expect(server.output()).toContain("closed")
  })
})
