import {describe, expect, test} from "vitest"
import {onBun, pluginWith, runtimes, startHost, type TestHost, until} from "../../support/host/host.ts"
import {closing, openRaw, raw} from "../../support/http/raw.ts"

const reader = pluginWith(`
    plugin.route({method: "POST", path: "/read", scope: "demo", summary: "Reads a body",
      handle: async request => new Response(String((await request.arrayBuffer()).byteLength))})`)

const openMany = (count: number, host: TestHost, text?: string | Buffer) =>
  Promise.all(Array.from({length: count}, () => openRaw(host, text)))

const withToken = (host: TestHost, line: string, more = "") =>
  `${line} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${host.token}\r\n${more}\r\n`

const config = "http: {port: 0, connections: 20}\nplugins: {reader: {}}\n"

describe.each(runtimes)("the request capacity on $name", runtime => {
  test("answers a webhook without an endpoint before its body arrives, and keeps the connection", async () => {
    const host = await startHost({runtime})
    const size = 1_000_000
    const client = await openRaw(host, `POST /hooks/none/none~x HTTP/1.1\r\nHost: a\r\nContent-Length: ${size}\r\n\r\n`)
    await until("the answer", () => client.answer.includes("endpoint_unknown"))
    client.socket.write(Buffer.alloc(size))
    client.socket.write("GET /pub/health HTTP/1.1\r\nHost: a\r\n\r\n")
    await until("the next answer", () => client.answer.includes('"pass"'))
  })

  test("lets bodies in flight share 64 MiB; more senders get 503 with a time to retry", async () => {
    const host = await startHost({runtime, config: config.replace("20", "200"), plugins: {reader}})
    const size = 1_000_000
    const head = withToken(host, "POST /api/plugins/reader/read", `Content-Length: ${size}\r\n`)
    const most = Buffer.concat([Buffer.from(head), Buffer.alloc(size - 1000)])
    const senders = await openMany(75, host, most)
    await until(
      "the last one to be refused",
      () => senders.filter(({answer}) => answer.includes('"no_room"')).length >= 7,
    )
    const refused = senders.find(({answer}) => answer !== "")
    expect(refused?.answer).toMatch(/^HTTP\/1\.1 503 /)
    expect(refused?.answer).toMatch(/^retry-after: \d+\r$/im)
    expect(refused?.answer).toMatch(/^connection: close\r$/im)
    expect((await fetch(`${host.url}/pub/health`)).status).toBe(200)
    expect(senders.filter(({answer}) => answer === "").length).toBeGreaterThan(60)
    for (const {socket} of senders) socket.destroy()
    await until("the capacity to be free again", async () => {
      const answers = await openMany(10, host, Buffer.concat([Buffer.from(head), Buffer.alloc(size)]))
      await until("all ten answers", () => answers.every(({answer}) => answer !== ""))
      return answers.every(({answer}) => answer.endsWith(String(size)))
    })
  })

  test("answers 503 with a time to retry while all connections are in use", async () => {
    const host = await startHost({runtime, config, plugins: {reader}})
    const streams = await openMany(20, host, withToken(host, "GET /api/events"))
    await until("the streams to start", () => streams.every(({answer}) => answer.includes("200 OK")))
    const refused = await raw(host, withToken(host, "GET /api/session"))
    expect(refused).toMatch(/^HTTP\/1\.1 503 /)
    expect(refused).toMatch(/^retry-after: \d+\r$/im)
    expect(refused).toContain('"no_room"')
    expect(streams.every(({isClosed}) => !isClosed)).toBe(true)
    streams[0]?.socket.destroy()
    await until("a free connection", async () =>
      (await raw(host, withToken(host, "GET /api/session", "Connection: close\r\n"))).includes("200 OK"),
    )
  })

  // Bun.serve does not report connections without a request; it closes them after ten seconds.
  test.skipIf(runtime === onBun)("drops the longest idle connection for a new one, but none in use", async () => {
    const host = await startHost({runtime, config, plugins: {reader}})
    const stream = await openRaw(host, withToken(host, "GET /api/events"))
    await until("the stream to start", () => stream.answer.includes("200 OK"))
    const first = await openRaw(host)
    const idle = await openMany(15, host)
    // All of them have been accepted once a later one is answered.
    await raw(host, closing("GET /pub/health"))
    first.socket.write("GET /pub/health HTTP/1.1\r\nHost: a\r\n\r\n")
    await until("the first to be answered", () => first.answer.includes('"pass"'))
    const more = await openMany(10, host)
    await until("six to close", () => idle.filter(({isClosed}) => isClosed).length >= 6)
    expect(stream.isClosed).toBe(false)
    expect(first.isClosed).toBe(false)
    expect(more.some(({isClosed}) => isClosed)).toBe(false)
  })
})
