import {describe, expect, test} from "vitest"
import {texts} from "../../../server/http/public/status-texts.ts"
import {expectProblem, launchHost, shared, startHost, svc, type TestHost, until} from "../../support/host/host.ts"
import {makeProject} from "../../support/host/project.ts"
import {bunOr, usualRuntime} from "../../support/host/runtimes.ts"
import {freePort} from "../../support/machine/ports.ts"
import {pluginWith, slowPlugin} from "../../support/plugins/plugin-sources.ts"

const http = "http: {port: 0, base: /bot, trustedProxies: [127.0.0.1]}"

const config = `${http}
plugins: {sandbox: {}, secretive: {}, resting: {enabled: false}}
agents:
  helper: {provider: openai, model: none, enabled: false}
status:
  title: <b>Our</b> bot
  note: We move on Sunday.
  labels:
    - {label: The bot}
    - {label: Chat & more, endpoint: sandbox}
    - {label: Reminders, plugin: secretive}
    - {label: Games, plugin: resting}
    - {label: Helper, agent: helper}
`

interface Page {
  state: string
  at: string
  labels: {label: string; state: string; uptime: Record<string, number | null>}[]
}

/** Opens a page without a token, each time from another address. */
let last = 0
const open = (host: TestHost, path: string, init: RequestInit = {}) => {
  const address = `10.0.${Math.floor(++last / 250)}.${last % 250}`
  const headers = {...(init.headers as Record<string, string>), "x-forwarded-for": address}
  return fetch(`${host.url}${path}`, {redirect: "manual", ...init, headers})
}

const read = async (host: TestHost) => (await (await open(host, "/status/status.json")).json()) as Page
const statesOf = ({labels}: Page) => Object.fromEntries(labels.map(({label, state}) => [label, state]))

describe.each(bunOr("node24"))("the status page on $name", runtime => {
  const host = shared(() => startHost({runtime, config, plugins: {secretive: pluginWith("")}}))

  test("shows the operator's labels as up or down to everyone, below http.base", async () => {
    const answer = await open(host(), "/status/")
    expect(answer.status).toBe(200)
    const page = await answer.text()
    expect(page).toContain('<h1 dir="auto">&lt;b&gt;Our&lt;/b&gt; bot</h1>')
    expect(page).toContain("We move on Sunday.")
    expect(page).toContain('Chat &amp; more</h2><p class="state up">Up</p>')
    expect(page).toContain('Games</h2><p class="state down">Down</p>')
    expect(await read(host())).toMatchObject({state: "partly down"})
    expect(statesOf(await read(host()))).toEqual({
      "The bot": "up",
      "Chat & more": "up",
      Reminders: "up",
      Games: "down",
      Helper: "down",
    })
    expect((await open(host(), "/status")).headers.get("location")).toBe("status/")
    expect((await open(host(), "/status/", {method: "HEAD"})).status).toBe(200)
    await expectProblem(await open(host(), "/status/", {method: "POST"}), 405, "method_not_allowed")
    await expectProblem(await open(host(), "/status/other"), 404, "not_found")
    expect((await fetch(`${new URL(host().url).origin}/status/`)).status).toBe(404)
  })

  test("names no account, id, reason or version, and forbids scripts and cookies", async () => {
    const answer = await open(host(), "/status/")
    const {version} = await host().get("/api/system/status")
    const said = `${await answer.text()}${JSON.stringify(await read(host()))}`
    for (const word of ["sandbox", "secretive", "resting", "disabled", "root/", host().runtimeId, version, "<script"])
      expect(said, word).not.toContain(word)
    const {headers} = answer
    expect(headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    )
    expect(headers.get("set-cookie")).toBeNull()
    expect(headers.get("x-content-type-options")).toBe("nosniff")
    expect(headers.get("cache-control")).toBe("public, max-age=3")
  })

  test("uses the browser's language when it can", async () => {
    const languageOf = async (accepted: string) => {
      const answer = await open(host(), "/status/", {headers: {"accept-language": accepted}})
      const [, said] = /overall state partly-down">([^<]*)</.exec(await answer.text()) ?? []
      return [answer.headers.get("content-language"), said]
    }
    expect(await languageOf("de-AT,de;q=0.9,en;q=0.8")).toEqual(["de", texts.de.overall["partly down"]])
    expect(await languageOf("fr, en;q=0.2, es-MX;q=0.7")).toEqual(["es", texts.es.overall["partly down"]])
    expect(await languageOf("zh-CN")).toEqual(["zh", texts.zh.overall["partly down"]])
    for (const other of ["fr", "*", "de;q=0", "x".repeat(5000), ";;q=,"])
      expect(await languageOf(other), other).toEqual(["en", "Partly down"])
  })

  test("answers 1,000 requests with at most one page per three seconds", async () => {
    const began = Date.now()
    const made = new Set<string>()
    for (let round = 0; round < 20; round++) {
      const answers = await Promise.all(Array.from({length: 50}, () => read(host())))
      for (const {at} of answers) made.add(at)
    }
    expect(made.size).toBeLessThanOrEqual(1 + Math.ceil((Date.now() - began) / 3000))
  })

  test("allows thirty requests at once from one address", async () => {
    const ask = () => fetch(`${host().url}/status/`, {headers: {"x-forwarded-for": "192.0.2.1"}})
    const answers = await Promise.all(Array.from({length: 40}, ask))
    const refused = answers.filter(({status}) => status === 429)
    expect(refused.length).toBeGreaterThanOrEqual(5)
    expect(answers.filter(({status}) => status === 200).length).toBeGreaterThanOrEqual(30)
    await expectProblem(refused[0] as Response, 429, "too_many_requests")
  })

  test("says that the bot is paused", async () => {
    await host().post("/api/ingress/pause")
    await until("the page to show the pause", async () => (await read(host())).labels[0]?.state === "paused")
    expect(statesOf(await read(host()))).toMatchObject({"Chat & more": "paused", Games: "down"})
  })
})

test("the status page says that the Host is starting before its first generation", async () => {
  const port = await freePort()
  const project = launchHost({
    config: `http: {port: ${port}}\nplugins: {slow: {}}\nstatus: {labels: [{label: The bot}, {label: Slow, plugin: slow}]}\n`,
    plugins: {slow: slowPlugin},
  }).project
  const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`)
  const starting = await until("the socket to be open", () =>
    ask("/status/status.json").then(
      async answer => (await answer.json()) as Page,
      () => undefined,
    ),
  )
  expect(starting.state).toBe("starting")
  expect(statesOf(starting)).toEqual({"The bot": "down", Slow: "down"})
  const page = await ask("/status/")
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'")
  expect(await page.text()).toContain("Starting")
  await expectProblem(await ask("/status/none"), 503, "starting")
  project.write("go", "")
  await until("the page to say up", async () => {
    return ((await (await ask("/status/status.json")).json()) as Page).state === "up"
  })
})

test("the status page is off without labels, and a new configuration turns it on", async () => {
  const host = await startHost({args: ["--no-watch"]})
  for (const path of ["/status", "/status/", "/status/status.json"])
    await expectProblem(await open(host, path), 404, "not_found")
  host.project.write(
    "svc.config.yml",
    "http: {port: 0}\nplugins: {sandbox: {}}\nstatus: {labels: [{label: The bot}]}\n",
  )
  await host.post("/api/system/reload")
  expect((await read(host)).labels).toMatchObject([{label: "The bot", state: "up"}])
})

test("a label that matches nothing is named with its position", async () => {
  const check = async (labels: string) => {
    const text = `plugins:\n  sandbox: {}\n  games: {enabled: false}\nstatus:\n  labels:\n${labels}`
    const {code, stderr} = await svc(usualRuntime, makeProject({config: text}), ["config", "check"])
    return {code, stderr}
  }
  const wrong = await check(`    - {label: One, plugin: gamse}
    - {label: One, agent: helper}
    - {label: Two, plugin: sandbox, endpoint: sandbox}
    - {label: Three, endpoint: "*"}
`)
  expect(wrong.code).not.toBe(0)
  for (const said of [
    /svc\.config\.yml:6:28 status\.labels\[0\]\.plugin: .*"gamse".*"games"/,
    /svc\.config\.yml:7:15 status\.labels\[1\]\.label: .*"One"/,
    /svc\.config\.yml:7:27 status\.labels\[1\]\.agent: .*"helper"/,
    /svc\.config\.yml:8:20 status\.labels\[2\]\.plugin: .*\bendpoint\b/,
    /svc\.config\.yml:9:32 status\.labels\[3\]\.endpoint: .*\bone endpoint\b/,
  ])
    expect(wrong.stderr).toMatch(said)
  const unknown = await check("    - {label: One, endpoint: irc~home}\n    - {labl: One}\n")
  expect(unknown.stderr).toContain('status.labels[1].labl: unknown key (did you mean "label"?)')
})
