import {describe, expect, test} from "vitest"
import {bunOr, expectProblem, startHost, type TestHost} from "../../support/host/host.ts"
import {endpointOf, untilState} from "../../support/platforms/endpoint.ts"

const env = {HTTP_TOKEN: "full-token-of-the-console", DEMO_TOKEN: "demo-token-of-the-console"}

const config = `http: {port: 0, base: /bot, token: "\${HTTP_TOKEN}", demoToken: "\${DEMO_TOKEN}",
  consoleHosts: [https://other.example]}
plugins: {sandbox: {}}
`

const scriptOf = async (host: TestHost): Promise<string> => {
  const page = await (await fetch(`${host.url}/console/`)).text()
  return /src="\.\/(assets\/[^"]+\.js)"/.exec(page)?.[1] ?? ""
}

describe.each(bunOr("node24"))("the console on $name", runtime => {
  const start = () => startHost({runtime, config, env})

  test("is a page below http.base only, with a redirect from the address without a slash", async () => {
    const host = await start()
    const redirect = await fetch(`${host.url}/console`, {redirect: "manual"})
    expect({status: redirect.status, to: redirect.headers.get("location")}).toEqual({status: 308, to: "console/"})
    const page = await fetch(`${host.url}/console`)
    expect({status: page.status, url: page.url}).toEqual({status: 200, url: `${host.url}/console/`})
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(await page.text()).toContain('<script type="module"')
    await expectProblem(await fetch(`${new URL(host.url).origin}/console/`), 404, "not_found")
  })

  test("allows nothing inline or foreign, and requests only to the Hosts in the configuration", async () => {
    const host = await start()
    const {headers} = await fetch(`${host.url}/console/`)
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self' https://other.example; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    expect(headers.get("x-content-type-options")).toBe("nosniff")
    expect(headers.get("referrer-policy")).toBe("no-referrer")
    expect(headers.get("cache-control")).toBe("no-cache")
  })

  test("has versioned file names, cacheable forever, in the encodings that the client accepts", async () => {
    const host = await start()
    const path = `${host.url}/console/${await scriptOf(host)}`
    const raw = async (encoding: string) => {
      const response = await fetch(path, {headers: {"accept-encoding": encoding}})
      expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
      expect(response.headers.get("vary")).toContain("Accept-Encoding")
      expect(response.headers.get("content-type")).toBe("text/javascript; charset=utf-8")
      return {
        encoding: response.headers.get("content-encoding"),
        etag: response.headers.get("etag"),
        text: await response.text(),
      }
    }
    const [plain, gzip, brotli, refused] = await Promise.all(
      ["identity", "gzip", "gzip, deflate, br", "br;q=0, gzip"].map(raw),
    )
    expect([plain?.encoding, gzip?.encoding, brotli?.encoding, refused?.encoding]).toEqual([null, "gzip", "br", "gzip"])
    expect(new Set([plain, gzip, brotli].map(each => each?.etag)).size).toBe(3)
    expect(plain?.text.length).toBeGreaterThan(10_000)
    expect([gzip?.text, brotli?.text]).toEqual([plain?.text, plain?.text])
  })

  test("has a service worker that names these files and is revalidated each time", async () => {
    const host = await start()
    const response = await fetch(`${host.url}/console/service-worker.js`)
    expect(response.headers.get("cache-control")).toBe("no-cache")
    expect(await response.text()).toContain(await scriptOf(host))
  })

  test("answers 304 to a cached copy, HEAD without a body, and 404 for unknown files", async () => {
    const host = await start()
    const etag = (await fetch(`${host.url}/console/`)).headers.get("etag") ?? ""
    const again = await fetch(`${host.url}/console/`, {headers: {"if-none-match": `W/${etag}`}})
    expect({status: again.status, body: await again.text()}).toEqual({status: 304, body: ""})
    expect((await fetch(`${host.url}/console/`, {headers: {"if-none-match": '"another"'}})).status).toBe(200)
    const head = await fetch(`${host.url}/console/`, {method: "HEAD"})
    expect({status: head.status, body: await head.text(), etag: head.headers.get("etag")}).toEqual({
      status: 200,
      body: "",
      etag,
    })
    for (const path of `files.json
      assets/none.js ..%2fsvc.js assets/..%2F..%2Fsvc.js __proto__ index.html.br`.split(/\s+/))
      await expectProblem(await fetch(`${host.url}/console/${path}`), 404, "not_found")
    await expectProblem(await fetch(`${host.url}/console/`, {method: "POST"}), 405, "method_not_allowed")
  })
})

describe("the routes of the console", () => {
  const start = () => startHost({config, env})

  test("report what a token may do", async () => {
    const host = await start()
    const ask = (token: string) => fetch(`${host.url}/api/session`, {headers: {authorization: `Bearer ${token}`}})
    const full: unknown = await (await ask(env.HTTP_TOKEN)).json()
    expect(full).toMatchObject({project: "scratch-bot", scope: "full"})
    expect(await (await ask(env.DEMO_TOKEN)).json()).toMatchObject({scope: "demo"})
    await expectProblem(await ask("wrong"), 401, "unauthorized")
  })

  test("report received and sent messages per minute", async () => {
    const host = await start()
    for (let count = 0; count < 5; count++) await host.say(`message ${count}`)
    const rates = await host.get("/api/messages/rates")
    expect({seconds: rates.seconds, length: rates.received.length}).toEqual({seconds: 60, length: 60})
    expect(rates.received.slice(-2).reduce((sum, count) => sum + count, 0)).toBe(5)
    expect(rates.received.slice(0, 58).every(count => count === 0)).toBe(true)
  })

  test("reconnect an endpoint", async () => {
    const host = await start()
    const before = await endpointOf(host, "sandbox")
    await host.post("/api/endpoints/:name/reconnect", {name: "sandbox"})
    const after = await untilState(host, "sandbox", "online")
    expect(Date.parse(after.since)).toBeGreaterThan(Date.parse(before.since))
    expect(await host.say("there?")).toEqual([])
    const unknown = await host.fetch("/api/endpoints/irc~none/reconnect", {method: "POST"})
    await expectProblem(unknown, 404, "endpoint_unknown")
    const asDemo = {method: "POST", headers: {authorization: `Bearer ${env.DEMO_TOKEN}`}}
    await expectProblem(await host.fetch("/api/endpoints/sandbox/reconnect", asDemo), 403, "forbidden")
  })
})
