import {setTimeout as sleep} from "node:timers/promises"
import {describe, expect, test} from "vitest"
import {runtimes, shared, startHost, type TestHost, until} from "../../support/host/host.ts"
import {openRaw, raw} from "../../support/http/raw.ts"

/** An adapter that reads a webhook's body as the query says, and a route that reports bodies that were cut. */
const reader = `
import {definePlugin, Type} from "svc-runtime"

const seen = []
const outcome = read => read.then(() => "read", error => error.constructor.name)

const ways = {
  whole: async (request, method) => {
    const body = await request[method]()
    return body instanceof Blob ? body.arrayBuffer() : method === "json" ? JSON.stringify(body) : body
  },
  stream: request => new Response(request.body).arrayBuffer(),
  clone: async request => {
    const copy = request.clone()
    return (await request.text()) + (await copy.text())
  },
  twice: async (request, method) => {
    const before = request.bodyUsed
    const reading = request[method]()
    const during = [request.bodyUsed, await outcome(request[method]())]
    await reading
    const after = []
    for (const other of ["arrayBuffer", "text", "json", "blob"]) after.push(await outcome(request[other]()))
    const cloned = await outcome((async () => request.clone())())
    const locked = await outcome((async () => request.body.getReader())())
    const {method: posted, headers} = request
    const type = headers.get("content-type")
    return JSON.stringify({before, during, used: request.bodyUsed, after, cloned, locked, posted, type})
  },
  cut: async (request, method) => {
    seen.push("began " + method)
    try {
      return await request[method]()
    } catch (error) {
      seen.push(method + " " + request.signal.aborted)
      throw error
    }
  },
  late: async request => {
    seen.push("began late")
    await new Promise(done => setTimeout(done, 500))
    return request.arrayBuffer().catch(error => {
      seen.push("late " + request.signal.aborted)
      throw error
    })
  },
}

export default definePlugin({
  setup(plugin) {
    plugin.adapter("reader", {
      history: "none", account: Type.Object({}),
      open: async () => ({send: async ({id}) => ({ids: [id]})}),
      webhook: async request => {
        const [way, method] = new URL(request.url).searchParams.get("by").split(".")
        return new Response(await ways[way](request, method))
      },
    })
    plugin.route({
      method: "GET", path: "/seen", scope: "full", summary: "what became of bodies that were cut",
      handle: () => new Response(JSON.stringify(seen)),
    })
  },
})
`

const config = `http: {port: 0}
plugins:
  sandbox: {}
  reader:
    endpoints:
      - id: one
`

const pathTo = (way: string) => `/hooks/reader/reader~one?by=${way}`

const headOf = (way: string, headers: readonly string[]): string =>
  [`POST ${pathTo(way)} HTTP/1.1`, "Host: a", "Content-Type: application/json", ...headers, "\r\n"].join("\r\n")

const seenBy = (host: TestHost) => host.plugin<readonly string[]>("/api/plugins/reader/seen")

describe.each(runtimes)("a small body on $name", runtime => {
  const common = shared(() => startHost({runtime, config, plugins: {reader}}))
  const post = (way: string, body: BodyInit) =>
    fetch(`${common().url}${pathTo(way)}`, {method: "POST", headers: {"content-type": "application/json"}, body})

  test("is the same with each method, in one piece and in many", async () => {
    const host = common()
    const text = JSON.stringify({text: "héllo ✓".repeat(1000)})
    for (const method of ["arrayBuffer", "text", "json", "bytes", "blob"]) {
      expect(await (await post(`whole.${method}`, text)).text()).toBe(text)
    }
    expect(await (await post("stream", text)).text()).toBe(text)
    expect(await (await post("clone", "ab")).text()).toBe("abab")

    const client = await openRaw(host, headOf("whole.arrayBuffer", ["Content-Length: 10", "Connection: close"]))
    for (const piece of "0123456789") {
      client.socket.write(piece)
      await sleep(20)
    }
    await until("the answer", () => client.answer.endsWith("0123456789"))
  })

  test("may be empty, or exactly as large as allowed", async () => {
    const bytes = new Uint8Array(64 * 1024).map((_, index) => (index * 31) % 256)
    for (const size of [0, 1, 64 * 1024 - 1, 64 * 1024]) {
      const answer = await post("whole.arrayBuffer", bytes.slice(0, size))
      expect(Buffer.from(await answer.arrayBuffer()).equals(Buffer.from(bytes.slice(0, size)))).toBe(true)
    }
    expect(await (await post("whole.text", "")).text()).toBe("")
  })

  test("is read once: a second read is refused", async () => {
    for (const method of ["arrayBuffer", "text", "json"]) {
      expect(await (await post(`twice.${method}`, "{}")).json()).toEqual({
        before: false,
        during: [true, "TypeError"],
        used: true,
        after: Array(4).fill("TypeError"),
        cloned: "TypeError",
        locked: "TypeError",
        posted: "POST",
        type: "application/json",
      })
    }
  })

  test("that is cut causes no Host error with any method, and aborts the request's signal", async () => {
    const host = common()
    for (const method of ["arrayBuffer", "text", "json"]) {
      const {socket} = await openRaw(host, `${headOf(`cut.${method}`, ["Content-Length: 100"])}{"half"`)
      await until("the handler to start", async () => (await seenBy(host)).includes(`began ${method}`))
      socket.destroy()
      await until("its body to be cut", async () => (await seenBy(host)).some(seen => seen.startsWith(`${method} `)))
      expect(await seenBy(host)).toContain(`${method} true`)
    }
    expect(host.process.output()).not.toContain("failed")
  })

  test("that is cut before it is read causes no Host error", async () => {
    const host = common()
    const {socket} = await openRaw(host, `${headOf("late", ["Content-Length: 100"])}{"half"`)
    await until("the handler to start", async () => (await seenBy(host)).includes("began late"))
    socket.destroy()
    await until("its body to be cut", async () => (await seenBy(host)).includes("late true"))
    expect(host.process.output()).not.toContain("failed")
  })

  test("may be chunked, follow 100 Continue, or follow another body", async () => {
    const host = common()
    const chunked = headOf("whole.text", ["Transfer-Encoding: chunked", "Connection: close"])
    expect(await raw(host, `${chunked}3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`)).toMatch(/\r\n\r\n(5\r\n)?abcde(\r\n|$)/)

    const one = `${headOf("whole.text", ["Content-Length: 3"])}one`
    const two = `${headOf("whole.arrayBuffer", ["Content-Length: 3", "Connection: close"])}two`
    expect(await raw(host, one + two)).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\n\r\noneHTTP\/1\.1 200 [\s\S]*\r\n\r\ntwo$/)

    const expecting = ["Content-Length: 3", "Expect: 100-continue", "Connection: close"]
    const client = await openRaw(host, headOf("whole.text", expecting))
    await until("100 Continue", () => client.answer.startsWith("HTTP/1.1 100 Continue\r\n\r\n"))
    client.socket.write("abc")
    await until("the answer", () => client.answer.endsWith("\r\n\r\nabc"))
  })
})
