import {gzipSync} from "node:zlib"
import {describe, expect, test} from "vitest"
import {bunAnd, expectProblem, shared, startHost, untilState} from "../../support/host/host.ts"
import {documentOf} from "../../support/host/questions.ts"
import {hookPlugin} from "../../support/plugins/hook-plugin.ts"

const env = {HTTP_TOKEN: "full-token-of-the-test", DEMO_TOKEN: "demo-token-of-the-test"}

const config = (base = "") => `http: {port: 0, base: "${base}", token: "\${HTTP_TOKEN}", demoToken: "\${DEMO_TOKEN}"}
plugins:
  sandbox: {}
  shop:
    use: ./plugins/shop.ts
    endpoints:
      - id: one
      - {id: waiting, mode: connecting}
      - {id: refused, mode: failed}
  unused:
    use: ./plugins/shop.ts
    enabled: false
    endpoints:
      - id: two
  irc: {}
`

const everyByte = Uint8Array.from({length: 4096}, (_, n) => n % 256)

describe.each(bunAnd("node24"))("webhook ingress on $name", runtime => {
  const start = async (base = "") => {
    const host = await startHost({runtime, config: config(base), env, plugins: {shop: hookPlugin}})
    return {host, hook: `${host.url}/hooks/shop/hook~one`}
  }
  const common = shared(start)

  test("passes method, query and body byte for byte without a token, and returns the adapter's answer", async () => {
    const {host, hook} = common()
    for (const body of [everyByte, new Uint8Array(), new TextEncoder().encode('{ "a":1.0 }\r\n')]) {
      const response = await fetch(`${hook}?a=%20b`, {
        method: "POST",
        headers: {"content-encoding": "identity", "content-type": "application/octet-stream"},
        body,
      })
      expect({status: response.status, platform: response.headers.get("x-platform")}).toEqual({
        status: 201,
        platform: "yes",
      })
      expect(await response.json()).toEqual({
        method: "POST",
        query: "?a=%20b",
        body: Buffer.from(body).toString("base64"),
        authorization: null,
        encoding: "identity",
      })
    }
    expect(await (await fetch(`${hook}?hub.challenge=7`)).json()).toMatchObject({
      method: "GET",
      query: "?hub.challenge=7",
    })
    for (const encoding of ["gzip", "br", "identity, gzip"]) {
      const compressed = await fetch(hook, {
        method: "POST",
        headers: {"content-encoding": encoding},
        body: gzipSync(everyByte),
      })
      const {detail} = await expectProblem(compressed, 415, "unsupported_media_type")
      expect(detail).toMatch(/Content-Encoding/)
    }
    const put = await fetch(hook, {method: "PUT"})
    await expectProblem(put, 405, "method_not_allowed")
    expect(put.headers.get("allow")).toBe("POST, GET")
    expect((await fetch(hook, {method: "POST", body: new Uint8Array(1024 * 1024)})).status).toBe(201)
    await expectProblem(
      await fetch(hook, {method: "POST", body: new Uint8Array(2 * 1024 * 1024)}),
      413,
      "body_too_large",
    )
    expect((await host.fetch("/pub/health")).status).toBe(200)
  })

  test("ignores tokens, and never shows one of the Host's to an adapter", async () => {
    const {hook} = common()
    for (const [shown, seen] of [
      [`Bearer ${env.HTTP_TOKEN}`, null],
      [`bearer ${env.DEMO_TOKEN}`, null],
      ["Bearer of the platform's own", "Bearer of the platform's own"],
    ] as const) {
      for (const method of ["POST", "GET"]) {
        const response = await fetch(hook, {
          method,
          headers: {authorization: shown},
          ...(method === "POST" ? {body: everyByte} : {}),
        })
        expect(response.status).toBe(201)
        expect(await response.json()).toMatchObject({
          authorization: seen,
          body: method === "POST" ? Buffer.from(everyByte).toString("base64") : "",
        })
      }
    }
  })

  test("answers 404 for anything but a webhook endpoint of the running generation, even with a token", async () => {
    const {host} = common()
    const nowhere = `shop/hook~none shop/deaf other/hook~one sandbox/sandbox sandbox/hook~one unused/hook~two irc/irc
      shop/__proto__`.split(/\s+/)
    for (const path of nowhere) {
      await expectProblem(
        await fetch(`${host.url}/hooks/${path}`, {method: "POST", body: "a"}),
        404,
        "endpoint_unknown",
      )
      await expectProblem(await host.fetch(`/hooks/${path}`), 404, "endpoint_unknown")
    }
    await expectProblem(await host.fetch("/hooks/shop"), 404, "not_found")
  })

  test("asks the platform to deliver later while an endpoint is not open", async () => {
    const {host} = common()
    await untilState(host, "hook~refused", "failed")
    for (const name of ["hook~waiting", "hook~refused"]) {
      const response = await fetch(`${host.url}/hooks/shop/${name}`, {method: "POST", body: "a"})
      await expectProblem(response, 503, "admission_closed")
      expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0)
    }
  })

  test("asks the platform to deliver later while ingress is paused", async () => {
    const {host, hook} = await start()
    await host.post("/api/ingress/pause")
    const response = await fetch(`${hook}?id=a`, {method: "POST"})
    await expectProblem(response, 503, "ingress_paused")
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0)
    await host.post("/api/ingress/resume")
    expect((await fetch(`${hook}?id=a`, {method: "POST"})).status).toBe(201)
  })

  test("acknowledges nothing and shows no details when an adapter throws or returns no answer", async () => {
    const {hook} = common()
    for (const fault of ["throw", "nothing"]) {
      const problem = await expectProblem(await fetch(`${hook}?${fault}`, {method: "POST", body: "a"}), 500, "internal")
      expect(JSON.stringify(problem)).not.toContain("hunter22")
    }
  })

  test("has the prefix in its path, and names the signature in the API's description", async () => {
    const {host} = await start("/bot")
    expect((await fetch(`${host.url}/hooks/shop/hook%7Eone?id=a`, {method: "POST"})).status).toBe(201)
    expect((await fetch(`${new URL(host.url).origin}/hooks/shop/hook~one`, {method: "POST"})).status).toBe(404)
    const {paths} = await documentOf(host)
    expect(paths["/bot/hooks/{plugin}/{endpoint}"]?.post?.security).toEqual([{signature: []}])
  })
})
