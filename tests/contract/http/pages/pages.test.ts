import {describe, expect, test} from "vitest"
import {expectProblem, pluginWith, startHost, svc, type TestHost} from "../../../support/host/host.ts"
import {bunAnd, type TestRuntime} from "../../../support/host/runtimes.ts"
import {raw} from "../../../support/http/raw.ts"

const configOf = (pages: string) => `http: {port: 0, trustedProxies: [127.0.0.1]}
plugins:
  sandbox: {}
  site: {pages: ${pages}}
`

/** A plugin that shows its request, tries to weaken the Host's headers, fails, returns no answer, or takes long. */
const site = pluginWith(`
    plugin.page("/asked", async request =>
      Response.json({
        method: request.method,
        query: new URL(request.url).searchParams.get("q"),
        headers: Object.fromEntries(request.headers),
        bytes: (await request.arrayBuffer()).byteLength,
      }))
    plugin.page("/weak", () => new Response("<b>hello</b>", {status: 203, headers: {
      "content-type": "text/html",
      "content-security-policy": "sandbox allow-same-origin allow-scripts",
      "set-cookie": "a=b; Path=/",
      "x-content-type-options": "sniff",
      "access-control-allow-origin": "*",
      "clear-site-data": "*",
      "location": "https://example.org/",
    }}))
    plugin.page("/", () => new Response("home", {headers: {
      "content-security-policy": "default-src 'self'; Frame-Ancestors https://shop.example",
    }}))
    plugin.page("/cookies", request => {
      const set = new URL(request.url).searchParams.getAll("set")
      return new Response(request.headers.get("cookie"), {headers: set.map(each => ["set-cookie", each])})
    })
    plugin.page("/hidden", () => new Response("hidden"))
    plugin.page("/fails", () => { throw new Error("the password is hunter2") })
    plugin.page("/nothing", () => undefined as any)`)

const listed = "[/asked, /weak, /, /cookies, /fails, /nothing, /lost]"

const start = (runtime: TestRuntime) => startHost({runtime, config: configOf(listed), plugins: {site}})

const open = (host: TestHost, path: string, init: RequestInit = {}) =>
  fetch(`${host.url}/pages/site${path}`, {redirect: "manual", ...init})

describe.each(bunAnd("node24"))("the pages of plugins on $name", runtime => {
  test("are public when they are listed, and see no tokens or cookies", async () => {
    const host = await start(runtime)
    expect(await (await open(host, "/")).text()).toBe("home")
    const headers = {authorization: `Bearer ${host.token}`, cookie: "a=b", "x-kept": "yes"}
    const asked = (await (await open(host, "/asked?q=1", {method: "POST", body: "four", headers})).json()) as {
      method: string
      query: string
      bytes: number
      headers: Record<string, string>
    }
    expect(asked).toMatchObject({method: "POST", query: "1", bytes: 4})
    expect(asked.headers).toMatchObject({"x-kept": "yes"})
    expect(Object.keys(asked.headers).filter(name => /auth|cookie/.test(name))).toEqual([])
    expect((await open(host, "/asked", {method: "HEAD"})).status).toBe(200)
    await expectProblem(await open(host, "/asked", {method: "DELETE"}), 405, "method_not_allowed")
  })

  test("are not found when they are not listed, not published, or at another address", async () => {
    const host = await start(runtime)
    const paths = "/hidden /lost /none /asked/ //asked /%61sked /asked%2f /..%2fsite/asked /ASKED".split(" ")
    for (const path of paths) await expectProblem(await open(host, path), 404, "not_found")
    await expectProblem(await fetch(`${host.url}/pages/sandbox/asked`), 404, "not_found")
    await expectProblem(await fetch(`${host.url}/pages/site/../../api/inbox`), 401, "unauthorized")
    const traversal = await raw(
      host,
      "GET /pages/site/../../api/inbox HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    )
    expect(traversal).toMatch(/^HTTP\/1\.1 (400|401|404) /)
  })

  test("are in a sandbox that they cannot leave, and set no cookies for others", async () => {
    const host = await start(runtime)
    const answer = await open(host, "/weak")
    expect(answer.status).toBe(203)
    expect(await answer.text()).toBe("<b>hello</b>")
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "text/html",
      "content-security-policy":
        "sandbox allow-forms allow-scripts; frame-ancestors 'none', sandbox allow-same-origin allow-scripts",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      location: "https://example.org/",
    })
    expect((await open(host, "/")).headers.get("content-security-policy")).toBe(
      "sandbox allow-forms allow-scripts, default-src 'self'; Frame-Ancestors https://shop.example",
    )
    expect(answer.headers.getSetCookie()).toEqual(["svc.site.a=b; Path=/pages/site/; HttpOnly; SameSite=Lax"])
    for (const name of ["access-control-allow-origin", "clear-site-data"])
      expect(answer.headers.get(name), name).toBeNull()
  })

  test("set and get cookies of their plugin only, hidden from scripts", async () => {
    const host = await start(runtime)
    const cookie = "a=1; svc.site.n=2; svc.other.n=3; svc.site.m=x=y; svc.sit.n=4; svc.site=5"
    expect(await (await open(host, "/cookies", {headers: {cookie}})).text()).toBe("n=2; m=x=y")
    const setting = async (path: string, headers = {}) => {
      const answer = await open(host, `/cookies?${path}`, {headers})
      return answer.ok ? answer.headers.getSetCookie() : answer.status
    }
    const fixed = "Path=/pages/site/; HttpOnly; SameSite=Lax"
    const wide =
      "n=1; Domain=example.org; path=/; Max-Age=60; SameSite=None; Partitioned; Expires=Wed, 01 Jan 2031 00:00:00 GMT"
    expect(await setting(`set=${encodeURIComponent(wide)}&set=m%3D`)).toEqual([
      `svc.site.n=1; Max-Age=60; Expires=Wed, 01 Jan 2031 00:00:00 GMT; ${fixed}`,
      `svc.site.m=; ${fixed}`,
    ])
    const elsewhere = await raw(
      host,
      "GET /pages/site/cookies?set=n%3D1 HTTP/1.1\r\nHost: bot.example.org\r\nConnection: close\r\n\r\n",
    )
    expect(elsewhere).toContain(`svc.site.n=1; ${fixed}; Secure\r\n`)
    for (const wrong of ["n", "=1", "a.b=1", "n=a b", 'n="1"', "n=a,b", "n=ä", `n=${"a".repeat(4096)}`])
      expect(await setting(`set=${encodeURIComponent(wrong)}`), wrong.slice(0, 9)).toBe(500)
    expect(await setting(Array.from({length: 11}, (_, n) => `set=n${n}%3D1`).join("&"))).toBe(500)
  })

  test("declare text when they consist of text alone", async () => {
    expect((await open(await start(runtime), "/")).headers.get("content-type")).toBe("text/plain;charset=UTF-8")
  })

  test("answer 500 without details when they fail or return nothing", async () => {
    const host = await start(runtime)
    for (const path of ["/fails", "/nothing"]) {
      const answer = await open(host, path)
      expect(answer.status).toBe(500)
      expect(await answer.text()).not.toMatch(/hunter2|plugins\/site|undefined/)
    }
    await expectProblem(
      await open(host, "/asked", {method: "POST", body: new Uint8Array(10_000_000)}),
      413,
      "body_too_large",
    )
  })

  test("answer 429 to an address that asks too often, but still serve others", async () => {
    const host = await start(runtime)
    const statuses = await Promise.all(Array.from({length: 60}, async () => (await open(host, "/")).status))
    expect(statuses.filter(status => status === 200).length).toBeGreaterThanOrEqual(30)
    expect(statuses.filter(status => status === 429).length).toBeGreaterThanOrEqual(20)
    const refused = await open(host, "/none")
    expect(refused.headers.get("retry-after")).toBe("1")
    await expectProblem(refused, 429, "too_many_requests")
    expect((await open(host, "/", {headers: {"x-forwarded-for": "192.0.2.7"}})).status).toBe(200)
  })

  test("are named by svc doctor: the open, the unlisted and the unpublished ones", async () => {
    const host = await start(runtime)
    const {stdout} = await svc(runtime, host.project, ["doctor", "--json"])
    const {findings} = JSON.parse(stdout) as {findings: readonly {check: string; level: string; detail: string}[]}
    expect(findings.flatMap(({check, level, detail}) => (check === "pages" ? [`${level}: ${detail}`] : []))).toEqual([
      "ok: anyone may open /pages/site/asked, /pages/site/weak, /pages/site/, /pages/site/cookies, /pages/site/fails, /pages/site/nothing",
      expect.stringMatching(/^ok: .*\bplugins\.<name>\.pages\b.*: site\/hidden$/),
      expect.stringMatching(/^warning: .* site\/lost$/),
    ])
  })
})
