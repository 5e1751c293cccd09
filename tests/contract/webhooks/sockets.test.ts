import {connect} from "node:net"
import {describe, expect, onTestFinished, test} from "vitest"
import {
  bunAnd,
  expectProblem,
  linesIn,
  shared,
  startHost,
  type TestHost,
  until,
  untilState,
} from "../../support/host/host.ts"
import {openRaw} from "../../support/http/raw.ts"
import {socketPlugin} from "../../support/plugins/socket-plugin.ts"
import {handshake, upgrade} from "../../support/satori/satori.ts"
import {openSocket} from "../../support/satori/socket.ts"

const env = {HTTP_TOKEN: "full-token-of-the-test"}

const config = (settings = "holds: true", base = "") => `http: {port: 0, base: "${base}", token: "\${HTTP_TOKEN}"}
plugins:
  shop:
    use: ./plugins/shop.ts
    endpoints:
      - {id: one, ${settings}}
      - {id: deaf, deaf: true}
`

const path = "/hooks/shop/line~one"
const key = "?key=the-key"

/** Opens a platform's connection and collects the received messages. */
const connectLine = async (host: TestHost, headers: Record<string, string> = {}) => {
  const line = await openSocket(`${host.url.replace(/^http/, "ws")}${path}${key}`, headers)
  const {socket, messages} = line
  onTestFinished(() => socket.close())
  return {
    ...line,
    answer: async (text: string) => {
      const count = messages.length
      socket.send(text)
      await until("an answer", () => messages.length > count)
      return messages[count]
    },
  }
}

const notes = (host: TestHost) => linesIn(host.project.read("notes.log"))

const stateIs = (host: TestHost, state: string) => untilState(host, "line~one", state)

describe.each(bunAnd("node22"))("WebSockets that platforms open, on $name:", runtime => {
  const start = (settings?: string, base?: string, own = false) =>
    startHost({runtime, config: config(settings, base), env, plugins: {shop: socketPlugin}, own})
  const common = shared(() => start())

  test("the adapter refuses a client, and no Host token helps", async () => {
    const host = common()
    expect((await upgrade(host, `${path}?key=wrong`, `Bearer ${env.HTTP_TOKEN}`)).text).toMatch(/^HTTP\/1\.1 401 /)
    for (const fault of ["throw", "nothing"]) {
      const {status, text} = await upgrade(host, `${path}?key=${fault}`)
      expect(status).toBe(500)
      expect(text).not.toContain("hunter22")
    }
    for (let n = 0; n < 9; n++) await upgrade(host, `${path}?key=wrong`)
    expect((await upgrade(host, `${path}?key=wrong`)).text).toMatch(/^HTTP\/1\.1 429 .*too_many_failures/s)
    expect(await (await connectLine(host, {authorization: `Bearer ${env.HTTP_TOKEN}`})).answer("auth")).toBe("null")
    const other = await connectLine(host, {authorization: "Bearer of the platform"})
    expect(await other.answer("auth")).toBe("Bearer of the platform")
  })

  test("without an account nothing is served, and a plain request gets 426", async () => {
    const host = common()
    for (const nowhere of ["shop/line~none", "shop/line~deaf", "other/line~one", "shop/line~one/more", "shop", "%"]) {
      const {status, text} = await upgrade(host, `/hooks/${nowhere}`)
      expect({nowhere, status, text}).toMatchObject({status: 404, text: expect.stringContaining("endpoint_unknown")})
    }
    await expectProblem(await fetch(`${host.url}${path}${key}`), 426, "upgrade_required")
    await expectProblem(await fetch(`${host.url}${path}${key}`, {method: "POST", body: "a"}), 426, "upgrade_required")
    expect((await fetch(`${host.url}/hooks/shop/line~deaf`)).status).toBe(200)
    expect((await upgrade(await start("holds: true", "/bot"), `/bot/hooks/shop/line%7Eone${key}`)).status).toBe(101)
  })

  test("text and bytes arrive unchanged; 10 MB go out, and at most 1 MiB comes in", async () => {
    const {socket, messages, answer, closeCode} = await connectLine(common())
    expect(await answer("größe")).toBe("größe")
    socket.send(new Uint8Array([0, 255, 7]))
    await until("the bytes to return", () => messages.length === 2)
    expect([...new Uint8Array(messages[1] as ArrayBuffer)]).toEqual([0, 255, 7])
    expect(((await answer("big")) as string).length).toBe(10_000_000)
    socket.send("x".repeat(10_000_000))
    expect(await closeCode()).toBe(1009)
  })

  test("send waits for a platform that reads slowly", async () => {
    const host = await start()
    const socket = connect(Number(new URL(host.url).port), "127.0.0.1")
    onTestFinished(() => void socket.destroy())
    let received = 0
    socket.on("data", chunk => {
      received += chunk.length
    })
    socket.write(handshake(`${path}${key}`))
    await until("the upgrade", () => received > 0)
    socket.pause()
    socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | 5, 0, 0, 0, 0]), Buffer.from("flood")]))
    await until("the flood to start", () => notes(host).length > 0)
    // The kernel buffers a few MB; the rest of the check is below.
    await until("the flood to stop", async () => {
      const before = notes(host).length
      await new Promise(resolve => setTimeout(resolve, 1000))
      return notes(host).length === before
    })
    expect(notes(host)).not.toContain("flooded 40")
    socket.resume()
    await until("the whole flood", () => received > 40 * 512 * 1024)
    await until("the last one to be sent", () => notes(host).includes("flooded 40"))
  })

  test("an adapter closes a connection, a failing one is closed, and a lost peer is noticed", async () => {
    const host = await start("holds: false")
    const leaving = await connectLine(host)
    leaving.socket.send("leave")
    expect(await leaving.closeCode()).toBe(4000)
    await until("the end to be recorded", () => notes(host).some(note => note.startsWith("closed")))
    await stateIs(host, "connecting")
    const failing = await connectLine(host)
    failing.socket.send("fail")
    expect(await failing.closeCode()).toBe(1011)
    expect(host.process.output()).toContain("line~one: a WebSocket failed")
    await stateIs(host, "connecting")
    const {socket} = await openRaw(host, handshake(`${path}${key}`))
    await stateIs(host, "online")
    socket.resetAndDestroy()
    await until("the end to be recorded", () => notes(host).filter(note => note.startsWith("closed")).length === 3)
    expect(notes(host).filter(note => note === "aborted")).toHaveLength(3)
  })

  test("connections of an endpoint and messages that wait both have a limit", async () => {
    const host = await start()
    const first = await connectLine(host)
    for (let n = 1; n < 16; n++) await connectLine(host)
    const {status, text} = await upgrade(host, `${path}${key}`)
    expect({status, text}).toMatchObject({status: 503, text: expect.stringContaining("no_room")})
    for (let n = 0; n < 1001; n++) first.socket.send("never")
    expect(await first.closeCode()).toBe(1013)
  })

  test("a pause refuses new connections and keeps open ones", async () => {
    const host = await start()
    const {answer} = await connectLine(host)
    await host.post("/api/ingress/pause")
    expect((await upgrade(host, `${path}${key}`)).text).toMatch(/^HTTP\/1\.1 503 .*retry-after.*ingress_paused/is)
    expect(await answer("still here")).toBe("still here")
    await host.post("/api/ingress/resume")
    expect((await upgrade(host, `${path}${key}`)).status).toBe(101)
  })

  test("a reload closes connections of changed accounts only, a stop all; clients return after a kill", async () => {
    const host = await start("mark: a", undefined, true)
    await stateIs(host, "connecting")
    const first = await connectLine(host)
    await stateIs(host, "online")
    await host.post("/api/system/reload")
    expect(await first.answer("the same")).toBe("the same")
    host.project.write("svc.config.yml", config("mark: b"))
    await host.post("/api/system/reload")
    expect(await first.closeCode()).toBe(1001)
    const second = await connectLine(host)
    await stateIs(host, "online")
    await host.post("/api/outbox", {body: {endpoint: "line~one", channel: "room", text: "hello"}})
    await until("the bot's message", () => second.messages.includes("hello"))
    host.process.child.kill("SIGKILL")
    expect(await second.closeCode()).toBe(1006)
    const again = await startHost({runtime, project: host.project, env})
    const third = await connectLine(again)
    expect(await third.answer("back")).toBe("back")
    await again.stop()
    expect(await third.closeCode()).toBe(1001)
  })

  test("an upgrade may follow another request on the same connection", async () => {
    const host = common()
    const client = await openRaw(host, "GET /pub/health HTTP/1.1\r\nHost: a\r\n\r\n")
    await until("the first answer", () => client.answer.includes('"pass"'))
    client.socket.write(handshake(`${path}${key}`))
    await until("the upgrade", () => client.answer.includes("HTTP/1.1 101"))
  })
})
