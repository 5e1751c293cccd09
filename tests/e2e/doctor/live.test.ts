import type {RequestListener} from "node:http"
import {describe, expect, test} from "vitest"
import {checkLive} from "../../../server/doctor/live.ts"
import {type HostOptions, makeProject, shared, startHost, story, svc, untilReady} from "../../support/host/host.ts"
import {casesOf, onBun, onNode22, onOlderNode, type TestRuntime} from "../../support/host/runtimes.ts"
import {freePort} from "../../support/machine/ports.ts"
import {startStandIn} from "../../support/machine/stand-in-server.ts"

const tokens = {HTTP_TOKEN: "full-token-of-the-live-test", DEMO_TOKEN: "demo-token-of-the-live-test"}

const config = (enabled = true, http = "") => `http:
  port: 0
  token: \${HTTP_TOKEN}
  demoToken: \${DEMO_TOKEN}
  readiness: {endpoints: [{owner: root/sandbox, name: sandbox}]}
${http}plugins:
  sandbox: {enabled: ${enabled}}
`

const start = async (options: HostOptions = {}) =>
  untilReady(await startHost({config: config(), env: tokens, ...options}))

interface Report {
  readonly ok: boolean
  readonly reason?: string
  readonly url: string
  readonly report?: {
    readonly ready: boolean
    readonly generation: number
    readonly components: readonly Record<string, unknown>[]
  }
}

/** Runs `svc doctor --live`, by default in an empty folder. */
const live = async (
  runtime: TestRuntime,
  url: string,
  options: {
    token?: string
    args?: readonly string[]
    project?: ReturnType<typeof makeProject>
    more?: Record<string, string>
  } = {},
) => {
  const {token = tokens.HTTP_TOKEN, args = ["--json"], project = makeProject(), more = {}} = options
  const env: Record<string, string> = token === "" ? more : {SVC_HTTP_TOKEN: token, ...more}
  const ended = await svc(runtime, project, ["doctor", "--live", url, ...args], {env})
  for (const secret of Object.values(tokens)) expect(ended.stdout + ended.stderr).not.toContain(secret)
  const report = (): Report => JSON.parse(ended.stdout) as Report
  return {code: ended.code, stdout: ended.stdout, stderr: ended.stderr, report}
}

const clients = onNode22 === undefined ? [onBun] : [onBun, onNode22]

const ready = shared(() => start())

describe.each(clients)("svc doctor --live on $name", runtime => {
  test("exits 0 when the Host is ready, and 1 once the required endpoint's plugin is disabled", story, async () => {
    const host = await start()
    const told = await live(runtime, host.url)
    expect({code: told.code, stderr: told.stderr}).toEqual({code: 0, stderr: ""})
    expect(told.report()).toMatchObject({ok: true, report: {ready: true, generation: 1}})

    host.project.write("svc.config.yml", config(false))
    await host.post("/api/system/reload")
    const unready = await live(runtime, host.url)
    expect(unready.code).toBe(1)
    expect(unready.report()).toMatchObject({ok: false, report: {ready: false, generation: 2}})
    expect(unready.report().report?.components.find(({kind}) => kind === "endpoint")).toMatchObject({
      owner: "root/sandbox",
      name: "sandbox",
      required: true,
      ready: false,
      reason: "plugin_disabled",
    })

    const people = await live(runtime, host.url, {args: []})
    expect({code: people.code, stdout: people.stdout}).toEqual({code: 1, stdout: ""})
    expect(people.stderr).toContain("\n  endpoint root/sandbox sandbox: plugin_disabled")
    expect(people.stderr).toContain("    do: ")
  })

  test("exits 1 for a wrong token, a demo token and no token, each with its own message", async () => {
    const host = ready()
    const reasons: [string, RegExp][] = [
      ["wrong", /\bSVC_HTTP_TOKEN \(401\)$/],
      [tokens.DEMO_TOKEN, /\bSVC_HTTP_TOKEN .*\(403\)$/],
      ["", /^SVC_HTTP_TOKEN is not set\b/],
    ]
    for (const [token, reason] of casesOf(reasons, runtime, clients)) {
      const {code, report} = await live(runtime, host.url, {token})
      expect({code, reason: report().reason}).toEqual({code: 1, reason: expect.stringMatching(reason)})
    }
  })

  test("exits 1 when nothing listens", async () => {
    const {code, report} = await live(runtime, `http://127.0.0.1:${await freePort()}`)
    expect(code).toBe(1)
    expect(report().reason).toMatch(/^the request failed: .*(ECONNREFUSED|ConnectionRefused)/)
  })

  test("follows no redirect, so the token goes to no other address", async () => {
    const other = await startStandIn((_, response) => response.end("{}"))
    for (const status of casesOf([301, 302, 307, 308], runtime, clients)) {
      const {url} = await startStandIn((_, response) => response.writeHead(status, {location: other.url}).end())
      const {code, report} = await live(runtime, url)
      expect({code, reason: report().reason}).toEqual({code: 1, reason: expect.stringMatching(/\bredirect\b/)})
    }
    expect(other.requests).toEqual([])
  })

  test("does not send the token through a proxy from the environment", async () => {
    const host = ready()
    const proxy = await startStandIn((_, response) => response.end("{}"))
    const more = {HTTP_PROXY: proxy.url, http_proxy: proxy.url, NODE_USE_ENV_PROXY: "1"}
    expect((await live(runtime, host.url, {more})).code).toBe(0)
    expect((await svc(runtime, host.project, ["runtime", "status"], {env: {...tokens, ...more}})).code).toBe(0)
    expect(proxy.requests).toEqual([])
  })

  test("gives up after 5 s if the server does not answer or does not end its answer", async () => {
    const silent = await startStandIn(() => {})
    const endless = await startStandIn((_, response) => {
      response.writeHead(200, {"content-type": "application/json"}).write("{")
      const timer = setInterval(() => response.write(" "), 100)
      response.on("close", () => clearInterval(timer))
    })
    const results = await Promise.all([live(runtime, silent.url), live(runtime, endless.url)])
    for (const {code, report} of results) {
      expect({code, reason: report().reason}).toEqual({code: 1, reason: "no answer within 5 s"})
    }
  })

  test("rejects garbage, an empty body, other JSON and a huge body", async () => {
    const chunk = Buffer.alloc(1024 * 1024, " ")
    let sent = 0
    const huge: RequestListener = (_, response) => {
      const more = () => {
        while (!response.destroyed && response.write(chunk)) sent++
      }
      response.on("drain", more)
      more()
    }
    const bodies: RequestListener[] = [
      (_, response) => response.end("\u0000\u0001<html>"),
      (_, response) => response.end(),
      (_, response) => response.end('{"ready":true}'),
    ]
    for (const answer of [huge, ...casesOf(bodies, runtime, clients)]) {
      const {url} = await startStandIn(answer)
      const {code, report} = await live(runtime, url)
      expect({code, reason: report().reason}).toEqual({
        code: 1,
        reason: expect.stringMatching(/\(200\); .*\bhttp\.base$/),
      })
    }
    // In megabytes: the most that svc reads, plus the buffers of sockets and streams.
    expect(sent).toBeLessThan(64)
  })
})

test("reads the token from SVC_HTTP_TOKEN only, not from HTTP_TOKEN, .env or .svc/host.json", async () => {
  const host = ready()
  host.project.write(".env", `HTTP_TOKEN=${tokens.HTTP_TOKEN}\n`)
  const {code, report} = await live(onBun, host.url, {token: "", project: host.project})
  expect({code, reason: report().reason}).toEqual({
    code: 1,
    reason: expect.stringMatching(/^SVC_HTTP_TOKEN is not set\b/),
  })
})

test("accepts an address that includes http.base, with or without a slash at the end", async () => {
  const host = await start({config: config(true, "  base: /bots/one\n")})
  expect(host.url).toMatch(/\/bots\/one$/)
  for (const url of [host.url, `${host.url}/`])
    expect(await checkLive(url, tokens.HTTP_TOKEN)).toMatchObject({ok: true})
  expect(await checkLive(new URL(host.url).origin, tokens.HTTP_TOKEN)).toMatchObject({
    ok: false,
    reason: expect.stringMatching(/\(404\); .*\bhttp\.base$/),
  })
})

test("refuses an address with credentials before it sends anything, and does not print them", async () => {
  const {url, requests} = await startStandIn((_, response) => response.end("{}"))
  const reason = expect.stringMatching(/\bcredentials; .*\bSVC_HTTP_TOKEN$/)
  const withCredentials = (credentials: string) => url.replace("://", `://${credentials}@`)
  for (const credentials of ["name", ":hunter22", "a@b:hunter22"]) {
    const result = await checkLive(withCredentials(credentials), tokens.HTTP_TOKEN)
    expect(result).toMatchObject({ok: false, reason})
    expect(JSON.stringify(result)).not.toContain("hunter22")
  }
  const {code, stdout, stderr} = await live(onBun, withCredentials("name:hunter22"))
  expect({code, ...JSON.parse(stdout)}).toMatchObject({code: 1, reason})
  expect(stdout + stderr).not.toContain("hunter22")
  expect(requests).toEqual([])
})

test.each(["8068", "ftp://127.0.0.1", "127.0.0.1:8068", "http://127.0.0.1:8068/?token=x", "http://"])(
  "refuses the invalid address %s",
  async address => {
    const reason = expect.stringMatching(/^the address /)
    expect(await checkLive(address, tokens.HTTP_TOKEN)).toMatchObject({ok: false, reason})
  },
)

test.skipIf(onOlderNode === undefined)("on a Node that is too old for the Host, svc says so and exits 1", async () => {
  if (onOlderNode === undefined) return
  const ended = await svc(onOlderNode, makeProject(), ["doctor", "--live", "http://127.0.0.1:1"])
  expect({code: ended.code, stdout: ended.stdout}).toEqual({code: 1, stdout: ""})
  expect(ended.stderr).toMatch(
    /^svc: the Host needs Bun, or Node 22\.12 or newer; this is Node 20\.\d+\.\d+\n {2}hint: /,
  )
  expect(ended.stderr).not.toContain("    at ")
})
