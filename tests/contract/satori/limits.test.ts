import {connect} from "node:net"
import {expect, onTestFinished, test} from "vitest"
import {bunAnd, pluginWith, runtimes, startHost, type TestHost, tell, until} from "../../support/host/host.ts"
import {connectSatori, handshake, keepAlive, type SatoriClient} from "../../support/satori/satori.ts"

/** A text frame of a client, masked with zeros (RFC 6455, section 5.2); at most 125 bytes. */
const frame = (text: string) => Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)])

const ping = JSON.stringify({op: 1})

/** A client that identifies, sends PING, and reads nothing until `read()`, which counts the bytes waiting for it. */
const stall = async (host: TestHost) => {
  const socket = connect(Number(new URL(host.url).port), "127.0.0.1")
  onTestFinished(() => void socket.destroy())
  let received = 0
  let isClosed = false
  socket.on("error", () => {})
  socket.on("close", () => {
    isClosed = true
  })
  socket.on("data", chunk => {
    received += chunk.length
  })
  socket.write(handshake("/satori/v1/events", `Bearer ${host.token}`))
  await until("the upgrade", () => received > 0)
  socket.write(frame(JSON.stringify({op: 3, body: {sn: 0}})))
  socket.pause()
  keepAlive(() => void socket.write(frame(ping)))
  return {
    read: async () => {
      socket.resume()
      await until("the connection to close", () => isClosed)
      return received
    },
  }
}

const big = "<".repeat(100_000)
const bigOnWire = 4 * big.length

const expectClosed = async (host: TestHost) => {
  const mute = await connectSatori(host, {identify: false})
  const silent = await connectSatori(host)
  const lively = await connectSatori(host, {identify: {sn: 0}})
  keepAlive(() => lively.say({op: 1}))
  const stalled = await stall(host)
  for (let n = 0; n < 60; n++) await tell(host, {text: big, group: true})
  expect((await lively.hearsMessages(60)).map(({sn}) => sn)).toEqual(Array.from({length: 60}, (_, n) => n + 1))
  const told = performance.now()
  expect(await mute.closeCode()).toBe(4008)
  expect(await silent.closeCode(90_000)).toBe(4009)
  // The latest moment at which its buffer was full, plus its 30 s, plus some time for a busy machine.
  await new Promise(resolve => setTimeout(resolve, told + 36_000 - performance.now()))
  expect(await stalled.read()).toBeLessThan(60 * bigOnWire)
  await tell(host, {text: "still here", group: true})
  await lively.hearsMessages(61)
}

test("a silent client is closed after 10 s without IDENTIFY, or 30 s without sending or reading", async () => {
  await Promise.all((await Promise.all(runtimes.map(runtime => startHost({runtime})))).map(expectClosed))
})

/** A plugin that collects garbage and reports the heap in use. */
const meter = pluginWith(`
    const Heap = Type.Object({used: Type.Integer()})
    const collect = async () => {
      if (process.versions.bun !== undefined) {
        for (let time = 0; time < 3; time++) Bun.gc(true)
        return (await import("bun:jsc")).heapStats().heapSize
      }
      const [v8, vm] = await Promise.all([import("node:v8"), import("node:vm")])
      v8.setFlagsFromString("--expose-gc")
      const gc = vm.runInNewContext("gc")
      for (let time = 0; time < 3; time++) gc()
      return process.memoryUsage().heapUsed
    }
    plugin.route({
      method: "GET", path: "/heap", scope: "full", summary: "Bytes of the heap after a forced collection",
      response: Heap,
      handle: async (_, call) => call.json(Heap, {used: await collect()}),
    })`)

const heapOf = async (host: TestHost) => {
  // First let closed connections time out and release their memory.
  await new Promise(resolve => setTimeout(resolve, 2500))
  return (await host.plugin<{used: number}>("/api/plugins/meter/heap")).used
}

const connectMany = async (host: TestHost, count: number) => {
  for (let opened = 0; opened < count; opened += 100) {
    const clients = await Promise.all(Array.from({length: 100}, () => connectSatori(host)))
    await Promise.all(clients.map((client: SatoriClient) => client.hears(4)))
    for (const client of clients) client.close()
    await Promise.all(clients.map(client => client.closeCode()))
  }
}

test.each(bunAnd("node22"))("2,000 short connections leave nothing behind on $name", async runtime => {
  const config = "http: {port: 0}\nplugins: {sandbox: {}, meter: {}}\n"
  const host = await startHost({runtime, config, plugins: {meter}})
  await connectMany(host, 300)
  const before = await heapOf(host)
  await connectMany(host, 2000)
  // On a slow machine the last of them take longer to disappear.
  await until("less than 500 bytes of each to be left", async () => ((await heapOf(host)) - before) / 2000 < 500)
})

/** Requests a WebSocket from a client address without a token, and keeps it. Resolves to the status of the answer. */
const wait = (host: TestHost, address: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const asked = handshake("/satori/v1/events").replace("\r\n", `\r\nX-Forwarded-For: ${address}\r\n`)
    const socket = connect(Number(new URL(host.url).port), "127.0.0.1", () => socket.write(asked))
    onTestFinished(() => void socket.destroy())
    socket.on("error", reject)
    socket.once("data", chunk => resolve(Number(String(chunk).slice(9, 12))))
  })

test.each(bunAnd("node22"))("1,001 tokenless connections of one address lock no other out on $name", async runtime => {
  const host = await startHost({
    runtime,
    config: "http: {port: 0, trustedProxies: [127.0.0.1]}\nplugins: {sandbox: {}}\n",
  })
  const statuses = await Promise.all(Array.from({length: 1001}, () => wait(host, "192.0.2.1")))
  expect(statuses.filter(status => status === 101).length).toBeGreaterThanOrEqual(256)
  expect(statuses.filter(status => status !== 101 && status !== 503)).toEqual([])
  expect(statuses.filter(status => status === 503).length).toBeGreaterThan(0)
  expect(await wait(host, "192.0.2.2")).toBe(101)
  const one = await Promise.all(
    Array.from({length: 300}, (_, index) => wait(host, `2001:db8:0:1::${index.toString(16)}`)),
  )
  expect(one.filter(status => status === 503).length).toBeGreaterThan(0)
  expect(await wait(host, "2001:db8:0:2::1")).toBe(101)
  await (await connectSatori(host, {headers: {authorization: `Bearer ${host.token}`}})).hears(4)
})
