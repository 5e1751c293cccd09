import {once} from "node:events"
import {type AddressInfo, createServer} from "node:net"
import {expect, onTestFinished, test} from "vitest"
import {WebSocketServer} from "ws"
import {openSocket} from "../../../../server/runtime/outgoing/open-socket.ts"

type Served = Parameters<WebSocketServer["handleUpgrade"]>[3] extends (socket: infer S, ...more: never) => void
  ? S
  : never

/** Connects to a server, and records its messages. */
const connect = async (serve: (socket: Served) => void, {most = 1000, signal = new AbortController().signal} = {}) => {
  const server = new WebSocketServer({port: 0, host: "127.0.0.1"})
  server.on("connection", serve)
  await once(server, "listening")
  onTestFinished(() => {
    for (const client of server.clients) client.terminate()
    server.close()
  })
  const told: unknown[] = []
  const ended = Promise.withResolvers<unknown>()
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
  const socket = await openSocket(
    url,
    {most, signal, headers: {"x-id": "7"}},
    {
      message: data => {
        told.push(data)
        if (data === "fail") throw new Error("the handler failed")
      },
      close: ended.resolve,
    },
  )
  return {socket, told, ended: ended.promise}
}

test("messages arrive as text or bytes, in both directions, and the server's code when it closes", async () => {
  const {socket, told, ended} = await connect(each =>
    each.on("message", (data, isBinary) => {
      each.send(data, {binary: isBinary})
      if (isBinary) each.close(4001, "enough")
    }),
  )
  await socket.send("héllo")
  await socket.send(Uint8Array.of(1, 2))
  expect(await ended).toEqual({code: 4001, reason: "enough"})
  expect(told).toEqual(["héllo", Uint8Array.of(1, 2)])
  expect(socket.signal.aborted).toBe(true)
  await expect(socket.send("late")).rejects.toThrow()
})

test.each([
  ["a message above the limit", (each: Served) => each.send("x".repeat(1001)), 1009],
  [
    "one in fragments",
    (each: Served) => Array.from({length: 9}, (_, n) => each.send("x".repeat(150), {fin: n > 7})),
    1009,
  ],
  ["a message that the handler fails on", (each: Served) => each.send("fail"), 1011],
  ["the end of the connection", (each: Served) => each.terminate(), 1006],
] as const)("%s ends the connection, and is named by its code", async (_, serve, code) => {
  const {told, ended} = await connect(each => void serve(each))
  expect(await ended).toMatchObject({code})
  expect(told).toEqual(code === 1011 ? ["fail"] : [])
})

test("the caller's signal cuts the connection", async () => {
  const abort = new AbortController()
  const {ended} = await connect(() => {}, {signal: abort.signal})
  abort.abort()
  expect(await ended).toMatchObject({code: 1006})
})

test.each([
  ["HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n", {status: 403}],
  ["HTTP/1.1 302 Found\r\nlocation: /\r\ncontent-length: 0\r\n\r\n", {status: 302}],
  [`HTTP/1.1 101 Switching Protocols\r\nx: ${"x".repeat(1_000_000)}`, {}],
] as const)("a refused connection rejects with the status: %.20s", async (answer, error) => {
  const server = createServer(socket => void socket.on("error", () => {}).once("data", () => socket.write(answer)))
  await once(server.listen(0, "127.0.0.1"), "listening")
  onTestFinished(() => void server.close())
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
  const {signal} = new AbortController()
  const thrown: unknown = await openSocket(url, {signal}, {message: () => {}}).catch(error => error)
  expect(thrown).toBeInstanceOf(Error)
  expect(thrown).toMatchObject(error)
})
