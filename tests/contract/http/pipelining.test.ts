import {connect} from "node:net"
import {describe, expect, test} from "vitest"
import {onBun, pluginWith, runtimes, shared, startHost, until} from "../../support/host/host.ts"
import {closing, openRaw, raw} from "../../support/http/raw.ts"

const counter = pluginWith(`
    let count = 0
    plugin.route({method: "GET", path: "/take", scope: "demo", summary: "Counts, and answers late",
      handle: async request => {
        const number = ++count
        await new Promise(done => setTimeout(done, 50))
        return new Response(JSON.stringify({number, query: new URL(request.url).search}) + " ".repeat(65536))
      }})
    plugin.route({method: "GET", path: "/count", scope: "demo", summary: "The count", handle: () => new Response(String(count))})`)

const many = 200

describe.each(runtimes)("pipelined requests on $name", runtime => {
  const host = shared(() =>
    startHost({runtime, plugins: {counter}, config: "http: {port: 0}\nplugins: {counter: {}}\n"}),
  )
  const take = (number: number) =>
    `GET /api/plugins/counter/take?${number} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${host().token}\r\n\r\n`
  const countOf = async () => Number(await (await host().fetch("/api/plugins/counter/count")).text())

  // Bun closes a connection that sends a request while the answer to the previous one is still in progress.
  test.skipIf(runtime === onBun)("are answered in order, one at a time, with their bodies", async () => {
    const post = "POST /api/nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nGET "
    const last = closing("GET /pub/ready")
    const texts = Array.from({length: 20}, (_, index) => take(index) + post)
    const answer = await raw(
      host(),
      `${texts.join("")}${"GET /pub/health HTTP/1.1\r\nHost: a\r\n\r\n".repeat(many)}${last}`,
    )
    const order = [...answer.matchAll(/"query":"\?(\d+)"/g)].map(([, number]) => Number(number))
    expect(order).toEqual(Array.from({length: 20}, (_, index) => index))
    expect(answer.split("HTTP/1.1 404").length - 1).toBe(20)
    expect(answer.split('{"status":"pass"}').length - 1).toBe(many)
  })

  test("of a client that reads nothing wait, and end with its connection", async () => {
    const before = await countOf()
    const {socket} = await openRaw(host(), Array.from({length: many}, (_, n) => take(n)).join(""))
    socket.pause()
    await until("the first request to be handled", async () => (await countOf()) > before)
    socket.destroy()
    let last = -1
    await until("no more requests to be handled", async () => {
      const now = await countOf()
      const isStill = now === last
      last = now
      await new Promise(done => setTimeout(done, 300))
      return isStill
    })
    expect(last - before).toBeLessThan(many / 2)
  })
})

test.each(runtimes)("an upgrade to h2c that is reset does no harm on $name", async runtime => {
  const host = await startHost({runtime})
  for (let round = 0; round < 50; round++) {
    await new Promise<void>(done => {
      const socket = connect(Number(new URL(host.url).port), "127.0.0.1", () => {
        socket.write("GET /console/ HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n", () =>
          socket.resetAndDestroy(),
        )
      })
      socket.on("error", () => {})
      socket.on("close", () => done())
    })
  }
  expect((await fetch(`${host.url}/pub/health`)).status).toBe(200)
  expect(host.process.output()).not.toMatch(/uncaught|ECONNRESET/i)
})
