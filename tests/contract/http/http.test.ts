import {gzipSync} from "node:zlib"
import {describe, expect, test} from "vitest"
import {clientAt} from "../../support/host/client.ts"
import {allOf, bunAnd, expectProblem, shared, startHost, until, untilPrinted} from "../../support/host/host.ts"
import {closing, raw} from "../../support/http/raw.ts"
import {upgrade} from "../../support/satori/satori.ts"
import {probePlugin} from "./probe-plugin.ts"

const env = {HTTP_TOKEN: "full-token-of-the-test", DEMO_TOKEN: "demo-token-of-the-test"}

const config = `http: {port: 0, token: "\${HTTP_TOKEN}", demoToken: "\${DEMO_TOKEN}",
  corsOrigins: [https://console.example]}
plugins: {sandbox: {}, probe: {}}
`

const probe = "/api/plugins/probe"

describe.each(bunAnd("node24"))("the HTTP host on $name", runtime => {
  const start = (more: {config?: string} = {}) =>
    startHost({runtime, config, env, plugins: {probe: probePlugin}, ...more})
  const common = shared(start)

  test("has a public health route that says pass, with its length", async () => {
    const host = common()
    const response = await fetch(`${host.url}/pub/health`)
    expect(response.status).toBe(200)
    expect(response.headers.get("content-length")).toBe("17")
    expect(await response.json()).toEqual({status: "pass"})
    const head = await fetch(`${host.url}/pub/health`, {method: "HEAD"})
    expect({status: head.status, body: await head.text()}).toEqual({status: 200, body: ""})
  })

  test("has a public ready route that states exactly whether it is ready", async () => {
    const host = common()
    const response = await fetch(`${host.url}/pub/ready`)
    expect({status: response.status, body: await response.text()}).toEqual({status: 200, body: '{"ready":true}'})
  })

  test("refuses a missing, wrong, empty, repeated or 10 KB token alike", async () => {
    const host = await start()
    const wrong = [undefined, "Bearer wrong", "Bearer ", "Basic abc", `Bearer ${"x".repeat(10_000)}`, env.HTTP_TOKEN]
    for (const authorization of wrong) {
      const response = await fetch(`${host.url}/api/system/status`, {
        headers: authorization === undefined ? {} : {authorization},
      })
      await expectProblem(response, 401, "unauthorized")
      expect(response.headers.get("www-authenticate")).toBe("Bearer")
    }
    const tokens = [env.HTTP_TOKEN, "wrong"].map(token => `Authorization: Bearer ${token}`)
    const twice = await raw(host, closing("GET /api/system/status", ...tokens))
    expect(twice).toMatch(/^HTTP\/1\.1 40[01] /)
  })

  test("lets a demo token observe, but not act or read what needs the full token", async () => {
    const host = common()
    const demo = {headers: {authorization: `Bearer ${env.DEMO_TOKEN}`}}
    expect((await fetch(`${host.url}/api/system/status`, demo)).status).toBe(200)
    await expectProblem(await fetch(`${host.url}/api/system/readiness`, demo), 403, "forbidden")
    await expectProblem(await fetch(`${host.url}/api/system/reload`, {...demo, method: "POST"}), 403, "forbidden")
    await expectProblem(await fetch(`${host.url}/api/config`, demo), 403, "forbidden")
  })

  test("leaves private properties out for a demo token", async () => {
    const host = common()
    const demo = {headers: {authorization: `Bearer ${env.DEMO_TOKEN}`}}
    expect(await (await fetch(`${host.url}${probe}/private`, demo)).json()).toEqual({id: "1", items: [{n: 1}]})
    expect(await host.plugin(`${probe}/private`)).toEqual({id: "1", text: "hidden", items: [{name: "hidden", n: 1}]})
    await host.say("/help")
    const inbox = await clientAt(host.url, env.DEMO_TOKEN).get("/api/inbox")
    expect(inbox.items[0]?.event).toMatchObject({type: "message-created"})
    expect(JSON.stringify(inbox)).not.toContain("help")
    expect(JSON.stringify(inbox)).not.toContain('"id":"you"')
  })

  test("lets ten failures a minute from one address through, and never blocks a valid token", async () => {
    const host = await start()
    const statuses: number[] = []
    for (let attempt = 0; attempt < 12; attempt++) {
      const response = await fetch(`${host.url}/api/system/status`, {headers: {authorization: "Bearer wrong"}})
      statuses.push(response.status)
      if (response.status === 429) {
        expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0)
        expect(Number(response.headers.get("retry-after"))).toBeLessThanOrEqual(60)
      }
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429])
    expect((await host.fetch("/api/system/status")).status).toBe(200)
  })

  test("answers 404 to an unknown path, and 405 with the allowed methods to a known one", async () => {
    const host = common()
    await expectProblem(await host.fetch("/api/nothing"), 404, "not_found")
    await expectProblem(await host.fetch("/"), 404, "not_found")
    await expectProblem(await host.fetch(`${probe}/nothing`), 404, "not_found")
    const response = await host.fetch("/api/outbox", {method: "DELETE"})
    expect(response.headers.get("allow")?.split(", ").sort()).toEqual(["GET", "POST"])
    await expectProblem(response, 405, "method_not_allowed")
  })

  test("gives a route its path parameters, and an empty object when it has none", async () => {
    const paramsAt = async (path: string) => (await common().fetch(`${probe}/params${path}`)).json()
    expect(await paramsAt("")).toEqual({})
    expect(await paramsAt("/a/of/b%20c")).toEqual({one: "a", two: "b c"})
    expect(await paramsAt("/a%2Fb%3A/of/%2525%C3%A4")).toEqual({one: "a/b:", two: "%25ä"})
    expect(await paramsAt("/__proto__/of/constructor")).toEqual({one: "__proto__", two: "constructor"})
  })

  test("prefers a fixed part of a path to a parameter, at the first difference", async () => {
    const paramsAt = async (path: string) => (await common().fetch(`${probe}/params${path}`)).json()
    expect(await paramsAt("/a/of/all")).toEqual({fixed: "all"})
    expect(await paramsAt("/new/of/all")).toEqual({two_2: "all"})
    const document = await (await common().fetch("/api/openapi.json")).json()
    const described = document.paths["/api/plugins/probe/params/new/of/{two_2}"]
    expect(described.get.parameters).toEqual([expect.objectContaining({name: "two_2", in: "path", required: true})])
  })

  test("refuses a parameter of a path that is empty, too long or not text", async () => {
    for (const [part, status] of Object.entries({"": 404, "%00": 400, "%ff": 400, [`${"%20".repeat(1001)}`]: 400}))
      expect((await common().fetch(`${probe}/params/x/of/${part}`)).status, part.slice(0, 9)).toBe(status)
    expect((await common().fetch(`${probe}/params/x/of/${"a".repeat(1000)}`)).status).toBe(200)
  })

  test("refuses an invalid path with an answer", async () => {
    const host = common()
    for (const path of `/api/plugins/probe/count/%zz
      /%zz // /api/../pub/ready /api/inbox/%00 /api/inbox/%zz *`.split(/\s+/)) {
      const answer = await raw(host, closing(`GET ${path}`, `Authorization: Bearer ${env.HTTP_TOKEN}`))
      expect(`${path} ${answer.slice(9, 12)}`).toMatch(/ (200|40[04])$/)
    }
    expect((await host.fetch("/api/system/status")).status).toBe(200)
  })

  test("turns an error in a handler into a problem without its message or stack", async () => {
    const host = common()
    const body = await expectProblem(await host.fetch(`${probe}/throws`), 500, "internal")
    expect(JSON.stringify(body)).not.toContain("hunter22")
    expect(body.requestId).toMatch(/^[0-9a-f]+-\w+$/)
    await untilPrinted(host.process, String(body.requestId))
    expect(host.process.output()).toContain("/throws failed: hunter22 in a message")
    await expectProblem(await host.fetch(`${probe}/problem`), 409, "conflict")
  })

  test("gives every answer its own request id, and lets no cache store it", async () => {
    const host = common()
    const ids = new Set<string | null>()
    for (let n = 0; n < 3; n++) {
      const response = await host.fetch("/api/system/status")
      ids.add(response.headers.get("x-request-id"))
      expect(response.headers.get("cache-control")).toBe("no-store")
      expect(response.headers.get("x-content-type-options")).toBe("nosniff")
    }
    expect(ids.size).toBe(3)
  })

  test("checks a body: schema, type, encoding, size", async () => {
    const host = common()
    const post = (body: string | Uint8Array<ArrayBuffer>, type = "application/json", more = {}) =>
      host.fetch(`${probe}/echo`, {method: "POST", headers: {"content-type": type, ...more}, body})
    for (const body of ['{"text":"hi"}', '\ufeff{"text":"hi"}'])
      expect(await (await post(body)).json()).toEqual({text: "hi"})
    const gzip = gzipSync('{"text":"hi"}')
    await expectProblem(
      await post(gzip, "application/json", {"content-encoding": "gzip"}),
      415,
      "unsupported_media_type",
    )
    const deep = await expectProblem(await post("[".repeat(65) + "]".repeat(65)), 400, "request_invalid")
    expect(deep).not.toHaveProperty("issues")
    const wrong = await expectProblem(await post('{"text":1,"more":2}'), 400, "request_invalid")
    expect(wrong.detail).toContain("text: expected text, got 1")
    expect(wrong.detail).toContain("more: unknown key")
    await expectProblem(await post("{"), 400, "request_invalid")
    await expectProblem(await post(new Uint8Array([0x22, 0xff, 0x22])), 400, "request_invalid")
    await expectProblem(await post('{"text":"hi"}', "text/plain"), 415, "unsupported_media_type")
    await expectProblem(await post(JSON.stringify({text: "x".repeat(2 * 1024 * 1024)})), 413, "body_too_large")
    expect((await host.fetch("/api/system/status")).status).toBe(200)
  })

  test("refuses a chunked body over the limit while it arrives", async () => {
    const host = common()
    const chunk = new Uint8Array(64 * 1024)
    let sent = 0
    const body = new ReadableStream<Uint8Array>({
      pull: controller => {
        if (sent++ < 64) controller.enqueue(chunk)
        else controller.close()
      },
    })
    const init = {method: "POST", headers: {"content-type": "application/json"}, body, duplex: "half"}
    const status = await host.fetch(`${probe}/echo`, init as RequestInit).then(
      response => response.status,
      () => "cut off",
    )
    expect([413, "cut off"]).toContain(status)
    expect((await host.fetch("/api/system/status")).status).toBe(200)
  })

  test("receives a raw body byte for byte, and none over the limit", async () => {
    const host = common()
    const bytes = new Uint8Array(256 * 1024).map((_, index) => (index * 31) % 256)
    const response = await host.fetch(`${probe}/raw`, {method: "POST", body: bytes})
    expect(Buffer.from(await response.arrayBuffer()).equals(Buffer.from(bytes))).toBe(true)
    const large = await host.fetch(`${probe}/raw`, {method: "POST", body: new Uint8Array(2 * 1024 * 1024)})
    await expectProblem(large, 413, "body_too_large")
  })

  test("converts and checks query parameters", async () => {
    const host = common()
    expect(await host.plugin(`${probe}/query?n=3&on=true`)).toEqual({n: 3, on: true})
    await expectProblem(await host.fetch(`${probe}/query?n=0`), 400, "request_invalid")
    await expectProblem(await host.fetch(`${probe}/query?n=abc`), 400, "request_invalid")
    await expectProblem(await host.fetch("/api/inbox?limit=0"), 400, "request_invalid")
    await expectProblem(await host.fetch("/api/inbox?limit=501"), 400, "request_invalid")
    await expectProblem(await host.fetch("/api/inbox?cursor=abc"), 400, "request_invalid")
  })

  test("streams an answer as it is written, and tells the handler when the client disconnects", async () => {
    const host = await start()
    const abort = new AbortController()
    const reader = (await host.fetch(`${probe}/stream`, {signal: abort.signal})).body?.getReader()
    const decoder = new TextDecoder()
    let text = ""
    while (!text.includes("data: 3")) text += decoder.decode((await reader?.read())?.value)
    expect(text.startsWith("data: 0\n\n")).toBe(true)
    abort.abort()
    await until("the handler to see the disconnect", async () => {
      const seen = await host.plugin<{aborted: number; cancelled: number}>(`${probe}/seen`)
      return seen.aborted === 1 && seen.cancelled === 1
    })
  })

  test("answers HEAD of a stream without a body, and leaves nothing running", async () => {
    const host = await start()
    const response = await host.fetch(`${probe}/stream`, {method: "HEAD"})
    expect({status: response.status, body: await response.text()}).toEqual({status: 200, body: ""})
    await until(
      "the stream to be released",
      async () => (await host.plugin<{cancelled: number}>(`${probe}/seen`)).cancelled === 1,
    )
  })

  test("sends a large answer completely", async () => {
    expect((await (await common().fetch(`${probe}/count/5000000`)).text()).length).toBe(5_000_000)
  })

  test("allows exact CORS origins only, and never null", async () => {
    const host = common()
    const preflight = (origin: string) =>
      fetch(`${host.url}/api/system/status`, {
        method: "OPTIONS",
        headers: {origin, "access-control-request-method": "GET", "access-control-request-headers": "authorization"},
      })
    const allowed = await preflight("https://console.example")
    expect(allowed.status).toBe(204)
    expect(allowed.headers.get("access-control-allow-origin")).toBe("https://console.example")
    expect(allowed.headers.get("access-control-allow-headers")).toContain("Authorization")
    expect(allowed.headers.get("access-control-allow-headers")).toContain("Last-Event-ID")
    for (const origin of ["null", "https://other.example", "https://console.example.evil"]) {
      expect((await preflight(origin)).headers.get("access-control-allow-origin")).toBeNull()
    }
    const read = await host.fetch("/api/system/status", {headers: {origin: "https://console.example"}})
    expect(read.headers.get("access-control-allow-origin")).toBe("https://console.example")
    expect(read.headers.get("vary")).toContain("Origin")
    const other = await host.fetch("/api/system/status", {headers: {origin: "https://other.example"}})
    expect(other.headers.get("access-control-allow-origin")).toBeNull()
    const refused = await fetch(`${host.url}/api/system/status`, {headers: {origin: "https://console.example"}})
    expect(refused.status).toBe(401)
    expect(refused.headers.get("access-control-allow-origin")).toBe("https://console.example")
  })

  test.each([
    [40, 431],
    [31, 200],
  ])("answers headers of %i KiB with %i: 32 KiB are allowed", async (size, status) => {
    const answer = await raw(common(), closing("GET /pub/ready", `X-Long: ${"x".repeat(size * 1024)}`))
    expect(answer.slice(0, 13)).toBe(`HTTP/1.1 ${status} `)
  })

  test("refuses an upgrade with an answer, and treats h2c as a plain request", async () => {
    const host = common()
    const h2c = "GET /pub/ready HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
    expect(await raw(host, h2c, /\}/)).toContain('{"ready":true}')
    const {status, text} = await upgrade(host, "/pub/ready")
    expect(status).toBe(404)
    expect(text).toContain('"code":"not_found"')
  })

  test("with http.base serves everything but /pub below it", async () => {
    const host = await start({config: config.replace("port: 0", "port: 0, base: /bot")})
    expect(host.url.endsWith("/bot")).toBe(true)
    const origin = new URL(host.url).origin
    expect((await fetch(`${origin}/pub/ready`)).status).toBe(200)
    expect((await fetch(`${origin}/bot/pub/ready`)).status).toBe(404)
    const headers = {authorization: `Bearer ${env.HTTP_TOKEN}`}
    expect((await fetch(`${origin}/bot/api/system/readiness`, {headers})).status).toBe(200)
    expect((await fetch(`${origin}/api/system/readiness`, {headers})).status).toBe(404)
    expect(await host.say("/help")).toHaveLength(1)
  })

  test("pages lists newest first, without a gap or a repetition", async () => {
    const host = await start()
    for (let n = 0; n < 7; n++) await host.say(`message ${n}`)
    const seen = await allOf(cursor => host.get("/api/inbox", {limit: 3, cursor}))
    expect(seen.map(({seq}) => seq)).toEqual([7, 6, 5, 4, 3, 2, 1])
  })

  test("on SIGTERM ends open streams and the process in order", async () => {
    const host = await start()
    const response = await host.fetch(`${probe}/stream`)
    await response.body?.getReader()?.read()
    const finished = await host.stop()
    expect({code: finished.code, signal: finished.signal}).toEqual({code: 0, signal: null})
    // The shutdown does not wait for a stream. A shutdown that takes too long has another last line.
    expect(finished.stdout).not.toContain("were still running")
    expect(finished.stdout.trimEnd().split("\n").at(-1)).toContain("stopped")
  })

  test("on SIGTERM finishes a request in progress and delivers its whole answer", async () => {
    const host = await start()
    const answer = host.fetch(`${probe}/later`)
    await until("the request to arrive", async () => (await host.plugin<{later: number}>(`${probe}/seen`)).later === 1)
    const finished = host.stop()
    expect((await (await answer).text()).length).toBe(100_000)
    expect((await finished).code).toBe(0)
  })
})
