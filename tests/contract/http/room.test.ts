import {connect, type Socket} from "node:net"
import {describe, expect, onTestFinished, test} from "vitest"
import {startHost, type TestHost} from "../../support/host/host.ts"
import {until} from "../../support/host/process.ts"
import {onBun, runtimes} from "../../support/host/runtimes.ts"
import {pluginWith} from "../../support/plugins/plugin-sources.ts"
import {raw} from "./raw.ts"

/** A route that reads its body by itself. */
const reader = pluginWith(`
    plugin.route({method: "POST", path: "/read", scope: "demo", summary: "Reads a body",
      handle: async request => new Response(String((await request.arrayBuffer()).byteLength))})`)

interface Client {
  readonly socket: Socket
  answer: string
  isClosed: boolean
}

/** A connection that stays open, with what has come back on it. */
const open = (host: TestHost, text: string | Buffer = ""): Promise<Client> =>
  new Promise(resolve => {
    const socket = connect(Number(new URL(host.url).port), "127.0.0.1", () => {
      socket.write(text)
      resolve(client)
    })
    const client: Client = {socket, answer: "", isClosed: false}
    onTestFinished(() => void socket.destroy())
    socket.on("data", chunk => {
      client.answer += chunk
    })
    socket.on("error", () => {})
    socket.on("close", () => {
      client.isClosed = true
    })
  })

const openMany = (count: number, host: TestHost, text?: string | Buffer) =>
  Promise.all(Array.from({length: count}, () => open(host, text)))

const withToken = (host: TestHost, line: string, more = "") =>
  `${line} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${host.token}\r\n${more}\r\n`

const config = "http: {port: 0, connections: 20}\nplugins: {reader: {}}\n"

describe.each(runtimes)("the room for requests on $name", runtime => {
  test("a webhook that nobody takes is answered before its body has come, and its connection goes on", async () => {
    const host = await startHost({runtime})
    const size = 1_000_000
    const client = await open(host, `POST /hooks/none/none~x HTTP/1.1\r\nHost: a\r\nContent-Length: ${size}\r\n\r\n`)
    await until("the answer", () => client.answer.includes("endpoint_unknown"))
    client.socket.write(Buffer.alloc(size))
    client.socket.write("GET /pub/health HTTP/1.1\r\nHost: a\r\n\r\n")
    await until("the next answer", () => client.answer.includes('"pass"'))
  })

  test("bodies in flight share 64 MiB; beyond it a sender gets 503 and when to come again", async () => {
    const host = await startHost({runtime, config: config.replace("20", "200"), plugins: {reader}})
    const size = 1_000_000
    const head = withToken(host, "POST /api/plugins/reader/read", `Content-Length: ${size}\r\n`)
    const most = Buffer.concat([Buffer.from(head), Buffer.alloc(size - 1000)])
    const senders = await openMany(75, host, most)
    await until("the last to be refused", () => senders.filter(({answer}) => answer.includes('"no_room"')).length >= 7)
    const refused = senders.find(({answer}) => answer !== "")
    expect(refused?.answer).toMatch(/^HTTP\/1\.1 503 /)
    expect(refused?.answer).toMatch(/^retry-after: \d+\r$/im)
    expect(refused?.answer).toMatch(/^connection: close\r$/im)
    expect((await fetch(`${host.url}/pub/health`)).status).toBe(200)
    expect(senders.filter(({answer}) => answer === "").length).toBeGreaterThan(60)
    for (const {socket} of senders) socket.destroy()
    await until("the room to be free again", async () => {
      const answers = await openMany(10, host, Buffer.concat([Buffer.from(head), Buffer.alloc(size)]))
      await until("all ten answers", () => answers.every(({answer}) => answer !== ""))
      return answers.every(({answer}) => answer.endsWith(String(size)))
    })
  })

  test("connections that are all in use leave no room: 503 and when to come again", async () => {
    const host = await startHost({runtime, config, plugins: {reader}})
    const streams = await openMany(20, host, withToken(host, "GET /api/events"))
    await until("the streams to begin", () => streams.every(({answer}) => answer.includes("200 OK")))
    const refused = await raw(host, withToken(host, "GET /api/session"))
    expect(refused).toMatch(/^HTTP\/1\.1 503 /)
    expect(refused).toMatch(/^retry-after: \d+\r$/im)
    expect(refused).toContain('"no_room"')
    expect(streams.every(({isClosed}) => !isClosed)).toBe(true)
    streams[0]?.socket.destroy()
    await until("room for one", async () =>
      (await raw(host, withToken(host, "GET /api/session", "Connection: close\r\n"))).includes("200 OK"),
    )
  })

  // Bun.serve tells nothing of connections without a request: it closes them after ten seconds.
  test.skipIf(runtime === onBun)(
    "the longest idle connection ends for a new one, and none that is in use",
    async () => {
      const host = await startHost({runtime, config, plugins: {reader}})
      const stream = await open(host, withToken(host, "GET /api/events"))
      await until("the stream to begin", () => stream.answer.includes("200 OK"))
      const first = await open(host)
      const idle = await openMany(15, host)
      // All of them have been accepted when a later one is answered.
      await raw(host, "GET /pub/health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      first.socket.write("GET /pub/health HTTP/1.1\r\nHost: a\r\n\r\n")
      await until("the first to be answered", () => first.answer.includes('"pass"'))
      const more = await openMany(10, host)
      await until("six to end", () => idle.filter(({isClosed}) => isClosed).length >= 6)
      expect(stream.isClosed).toBe(false)
      expect(first.isClosed).toBe(false)
      expect(more.some(({isClosed}) => isClosed)).toBe(false)
    },
  )
})
