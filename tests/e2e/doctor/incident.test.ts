import {describe, expect, test} from "vitest"
import type {IncidentResult} from "../../../server/doctor/incident.ts"
import {freePort, type HostOptions, replying, startHost, svc, untilReady} from "../../support/host/host.ts"
import {makeProject, type Project} from "../../support/host/project.ts"
import {onBun, onNode22, type TestRuntime} from "../../support/host/runtimes.ts"
import {startStandIn} from "../../support/machine/stand-in-server.ts"

const tokens = {HTTP_TOKEN: "full-token-of-the-incident", DEMO_TOKEN: "demo-token-of-the-incident"}

const config = (more = "", sandbox = "{}") => `http:
  port: 0
  token: \${HTTP_TOKEN}
  demoToken: \${DEMO_TOKEN}
  readiness: {endpoints: [{owner: root/sandbox, name: sandbox}]}
${more}plugins:
  sandbox: ${sandbox}
  greeter: {}
`

const start = async (options: HostOptions = {}) =>
  untilReady(
    await startHost({config: config(), plugins: {greeter: replying("greet", "hello")}, env: tokens, ...options}),
  )

interface AskOptions {
  readonly args?: string
  readonly token?: string
  readonly project?: Project
  readonly runtime?: TestRuntime
}

/** Runs `svc doctor --incident --json`, usually in an empty folder. Expects that code, answers and steps agree. */
const incident = async (url: string, {args = "", token = tokens.HTTP_TOKEN, ...options}: AskOptions = {}) => {
  const {project = makeProject({config: ""}), runtime = onBun} = options
  const words = ["doctor", "--incident", url, "--json", ...args.split(" ").filter(Boolean)]
  const ended = await svc(runtime, project, words, {env: token === "" ? {} : {SVC_HTTP_TOKEN: token}})
  for (const secret of Object.values(tokens)) expect(ended.stdout + ended.stderr).not.toContain(secret)
  expect(ended.stderr).toBe("")
  const result = JSON.parse(ended.stdout) as IncidentResult
  const isYes = result.answers.every(({answer}) => answer === "yes")
  expect({code: ended.code, ok: result.ok, schema: result.schema}).toEqual({
    code: isYes ? 0 : 1,
    ok: isYes,
    schema: "svc.incident/1",
  })
  for (const {answer, next} of result.answers) expect(next === undefined).toBe(answer !== "no")
  return {
    short: result.answers.map(({answer}) => answer),
    evidence: (question: number) => result.answers[question - 1]?.evidence.join("\n") ?? "",
    next: (question: number) => result.answers[question - 1]?.next,
  }
}

const elsewhere = () => ({project: makeProject({files: {"package.json": '{"name": "other"}'}})})

const clients = onNode22 === undefined ? [onBun] : [onBun, onNode22]

describe("svc doctor --incident asks its five questions in order", () => {
  test.each(clients)("all answers are yes, with evidence and exit code 0, on $name", async runtime => {
    const host = await start({runtime})
    await host.say("/greet")
    const {short, evidence} = await incident(host.url, {
      runtime,
      project: host.project,
      args: "--capability root/greeter/command/greet --quiet 15m",
    })
    expect(short).toEqual(["yes", "yes", "yes", "yes", "yes"])
    expect(evidence(1)).toMatch(/^200 in \d+ ms$/)
    expect(evidence(2)).toMatch(/^scratch-bot, svc 0\.1\.0, build [0-9a-f]{12}, generation 1, development$/m)
    expect(evidence(2)).toContain(host.runtimeId)
    expect(evidence(3)).toMatch(/^sandbox: online for \d+ s, last event \d+ s ago, [\w ]+\d+ s ago\ningress is open$/)
    expect(evidence(4)).toContain("root/greeter/command/greet: published")
    expect(evidence(5)).toMatch(/^database: [0-9a-f-]{36}\nevent history: epoch /)
  })

  test("an unexpected project or version is a no, and people see the next step", async () => {
    const host = await start()
    const words = ["doctor", "--incident", host.url, "--expect-version", "9.9.9"]
    const {code, stdout} = await svc(onBun, host.project, words, {env: {SVC_HTTP_TOKEN: tokens.HTTP_TOKEN}})
    expect(code).toBe(1)
    expect(stdout).toContain("1 yes       Is /pub/health reachable?\n            200 in ")
    expect(stdout).toMatch(/^2 no .*\?\n +scratch-bot, svc 0\.1\.0, /m)
    expect(stdout).toContain("            expected svc 9.9.9\n            next: ")

    const given = await incident(host.url, {args: "--expect-project other --expect-version 9.9.9"})
    expect([given.short, given.evidence(2)]).toEqual([
      ["yes", "no", "yes", "yes", "yes"],
      expect.stringContaining("expected the project other\nexpected svc 9.9.9"),
    ])
    expect((await incident(host.url, elsewhere())).evidence(2)).toContain("expected the project other")
  })

  test("a disabled plugin, a missing capability, paused ingress and a quiet inbox are a no", async () => {
    const host = await start()
    const quiet = await incident(host.url, {
      args: "--quiet 15m --capability root/greeter/command/wave",
      project: host.project,
    })
    expect(quiet.short).toEqual(["yes", "yes", "no", "no", "yes"])
    expect(quiet.evidence(3)).toMatch(/^sandbox: online for \d+ s, no event [^\d]*\ningress is open\n.* 15 min$/)
    expect(quiet.evidence(4)).toContain("root/greeter/command/wave: not published")
    await host.post("/api/ingress/pause")
    const paused = await incident(host.url, {project: host.project})
    expect(paused.short).toEqual(["yes", "yes", "no", "yes", "yes"])
    expect(paused.evidence(3).match(/open|closed|paused.*/g)).toEqual(["paused: operator"])
    expect(paused.next(3)).toContain("svc ingress resume")
    await host.post("/api/ingress/resume")
    host.project.write("svc.config.yml", config("", "{enabled: false}"))
    await host.post("/api/system/reload")
    const disabled = await incident(host.url, {project: host.project})
    expect(disabled.short).toEqual(["yes", "yes", "no", "no", "yes"])
    expect(disabled.evidence(3)).toMatch(/\bno endpoint\b/)
    expect(disabled.evidence(4)).toMatch(/^generation 2: 1 of 2 .*\nendpoint sandbox: plugin_disabled: /m)
    expect(disabled.next(4)).toContain("svc ")
  })

  test("a wrong, demo or missing token leaves some questions unanswered, with reasons", async () => {
    const host = await start()
    const wrong = await incident(host.url, {token: "wrong", project: host.project})
    expect(wrong.short).toEqual(["yes", "no", "not asked", "not asked", "not asked"])
    expect(wrong.evidence(2)).toMatch(/\bSVC_HTTP_TOKEN \(401\)$/)
    const demo = await incident(host.url, {token: tokens.DEMO_TOKEN, project: host.project})
    expect(demo.short).toEqual(["yes", "yes", "yes", "not asked", "yes"])
    expect(demo.evidence(4)).toMatch(/\bSVC_HTTP_TOKEN .*\(403\)$/)
    const none = await incident(host.url, {token: "", project: host.project})
    expect(none.short).toEqual(["yes", "not asked", "not asked", "not asked", "not asked"])
    expect(none.evidence(5)).toContain("SVC_HTTP_TOKEN is not set")
  })

  test("a Host that does not listen or does not answer within 5 s is a no", async () => {
    const silent = await startStandIn(() => {})
    for (const url of [`http://127.0.0.1:${await freePort()}`, silent.url]) {
      const {short, evidence} = await incident(url)
      expect(short).toEqual(["no", "not asked", "not asked", "not asked", "not asked"])
      expect(evidence(1)).toMatch(/^the request failed: |^no answer within 5 s$/)
      expect(evidence(2)).toMatch(/\bnot answer$/)
    }
  })

  test("the address includes http.base, although the probes are outside of it", async () => {
    const host = await start({config: config("  base: /bots/one\n")})
    expect((await incident(host.url, {project: host.project})).short).toEqual(["yes", "yes", "yes", "yes", "yes"])
    const without = await incident(new URL(host.url).origin, {project: host.project})
    expect(without.short).toEqual(["yes", "no", "not asked", "not asked", "not asked"])
  })
})

/** A stand-in for a Host with contradicting stores: it changes the Host's answers below one path. */
const startChanged = async (
  host: Awaited<ReturnType<typeof start>>,
  changed: string,
  change: (body: string) => string,
) =>
  startStandIn(async (request, response) => {
    const path = request.url ?? ""
    const answer = await host.fetch(path)
    const isChanged = path.startsWith(changed)
    const body = await answer.text()
    response.writeHead(isChanged ? 200 : answer.status, {"content-type": "application/json"})
    response.end(isChanged ? change(body) : body)
  })

test("question 5 finds the store that contradicts the others", async () => {
  const host = await start()
  const other = "11111111-2222-3333-4444-555555555555"
  const cases: readonly (readonly [store: string, path: string, of: RegExp, to: string])[] = [
    ["event history: ", "/api/system/status", /"authority":"[^"]+","mode"/, `"authority":"${other}","mode"`],
    ["event history: ", "/api/events/history", /"epoch":"[^"]+"/, '"epoch":"111111112222"'],
    ["workroom Journal: ", "/api/system/status", /("workroom":\{[^}]*"authority":)"[^"]+"/, `$1"${other}"`],
    ["job file: refused: of another one", "/api/jobs", /.*/s, '{"file": {"refused": {"detail": "of another one"}}}'],
    ["job file: ", "/api/jobs", /.*/s, `{"file": {"authority": "${other}"}}`],
  ]
  for (const [store, changed, of, to] of cases) {
    const {url} = await startChanged(host, changed, body => body.replace(of, to))
    const {short, evidence, next} = await incident(url, {project: host.project})
    expect(short).toEqual(["yes", "yes", "yes", "yes", "no"])
    expect(evidence(5).split("\n")).toContainEqual(expect.stringMatching(new RegExp(`^${store}.*: differs$`)))
    expect(next(5)).toMatch(/\bone checkpoint\b/)
  }
})
