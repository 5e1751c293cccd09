import {connect} from "node:net"
import {build} from "esbuild"
import {beforeAll, describe, expect, test} from "vitest"
import {nodeBundle} from "../../../scripts/build/bundles.ts"
import {onBun, root, runtimes, startProcess, type TestRuntime, until, untilPrinted} from "../../support/host/host.ts"
import {socketWith} from "../../support/satori/socket.ts"

const source = `${root}tests/support/satori/socket-server.ts`
const built = `${root}node_modules/.cache/svc-tests`

beforeAll(() => build({entryPoints: [source], outdir: built, ...nodeBundle, logLevel: "warning"}))

const startServer = async (runtime: TestRuntime) => {
  const script = runtime === onBun ? source : `${built}/socket-server.js`
  const server = startProcess([runtime.command[0] ?? "", script])
  const [, port] = await until("the server to listen", () => server.output().match(/port (\d+)/) ?? undefined)
  return {server, port: Number(port)}
}

const headers = {authorization: "Bearer socket-token"}

/** A client that collects the messages it receives. */
const openSocket = async (port: number) => {
  const socket = socketWith(`ws://127.0.0.1:${port}/`, headers)
  socket.binaryType = "arraybuffer"
  const messages: (string | ArrayBuffer)[] = []
  let closed: number | undefined
  socket.addEventListener("message", ({data}) => messages.push(data))
  socket.addEventListener("close", ({code}) => {
    closed = code
  })
  await until("the socket to open", () => socket.readyState === WebSocket.OPEN)
  return {socket, messages, closeCode: () => until("the socket to close", () => closed)}
}

const handshake = (authorization: string) =>
  [
    "GET / HTTP/1.1",
    "Host: a",
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    `Authorization: ${authorization}`,
    "\r\n",
  ].join("\r\n")

describe.each(runtimes)("the WebSocket seam on $name", runtime => {
  test("returns text and bytes as they were sent", async () => {
    const {port} = await startServer(runtime)
    const {socket, messages} = await openSocket(port)
    socket.send("größe")
    socket.send(new Uint8Array([0, 255, 7]))
    await until("both to return", () => messages.length === 2)
    expect(messages[0]).toBe("größe")
    expect([...new Uint8Array(messages[1] as ArrayBuffer)]).toEqual([0, 255, 7])
  })

  test("refuses an upgrade without the token with an answer that has a body", async () => {
    const {port} = await startServer(runtime)
    const answer = await new Promise<string>((resolve, reject) => {
      const client = connect(port, "127.0.0.1", () => client.write(handshake("Bearer wrong")))
      let text = ""
      client.on("data", chunk => {
        text += chunk
        if (text.includes("no token")) resolve(text)
      })
      client.on("error", reject)
      client.setTimeout(60_000, () => reject(new Error(`got ${text}`)))
    })
    expect(answer).toMatch(/^HTTP\/1\.1 401 /)
  })

  test("accepts a message of 1 MiB, and closes with 1009 at one byte more", async () => {
    const {server, port} = await startServer(runtime)
    const {socket, messages, closeCode} = await openSocket(port)
    socket.send("x".repeat(1024 * 1024))
    await until("it to return", () => messages.length === 1)
    socket.send("x".repeat(1024 * 1024 + 1))
    expect(await closeCode()).toBe(1009)
    await untilPrinted(server, "close ")
  })

  test("closes with 1001 when the Host ends, even for a client that reads nothing", async () => {
    const {server, port} = await startServer(runtime)
    const {closeCode} = await openSocket(port)
    const stalled = connect(port, "127.0.0.1", () => stalled.write(handshake(headers.authorization)))
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
