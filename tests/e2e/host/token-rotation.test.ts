import {rmSync, statSync, writeFileSync} from "node:fs"
import {describe, expect, test} from "vitest"
import type {Finding} from "../../../server/doctor/finding.ts"
import {clientAt} from "../../support/host/client.ts"
import {makeProject, type Project, problemsIn, startHost, svc, type TestHost, until} from "../../support/host/host.ts"
import {bunOr, type TestRuntime, usualRuntime} from "../../support/host/runtimes.ts"
import {connectSatori} from "../../support/satori/satori.ts"

const tokens = {
  old: "the-old-token-of-the-test",
  fresh: "the-new-token-of-the-test",
  demo: "the-demo-token-of-the-test",
}
const hour = 3_600_000
const inAnHour = () => new Date(Date.now() + hour).toISOString()

const before = "http:\n  port: 0\n  token: ${HTTP_TOKEN}\n  demoToken: ${DEMO_TOKEN}\nplugins: {sandbox: {}}\n"
const rotating = (end: string) =>
  before.replace("  demo", `  previousToken: {token: "\${HTTP_PREVIOUS_TOKEN}", until: "${end}"}\n  demo`)

const writeEnvironment = (project: Project, values: Readonly<Record<string, string>>) =>
  writeFileSync(
    project.path(".env"),
    Object.entries({...values, DEMO_TOKEN: tokens.demo})
      .map(([name, value]) => `${name}=${value}\n`)
      .join(""),
    {mode: 0o600},
  )

const makeOld = () => {
  const project = makeProject({config: before, files: {"bunfig.toml": "env = false\n"}})
  writeEnvironment(project, {HTTP_TOKEN: tokens.old})
  return project
}

/** The operator's edit: the new token, and the old one under a separate name. */
const rotate = (project: Project, end = inAnHour()) => {
  writeEnvironment(project, {HTTP_TOKEN: tokens.fresh, HTTP_PREVIOUS_TOKEN: tokens.old})
  project.write("svc.config.yml", rotating(end))
}

const start = (runtime: TestRuntime, project: Project) =>
  startHost({own: true, runtime, project, args: ["--mode", "production", "--no-watch"]})

const statusOf = async (host: TestHost, token: string, path = "/api/system/status") =>
  (await fetch(`${host.url}${path}`, {headers: {authorization: `Bearer ${token}`}})).status

/** The status that each token gets from a route that needs the full scope. */
const full = async (host: TestHost) => ({
  old: await statusOf(host, tokens.old, "/api/config"),
  fresh: await statusOf(host, tokens.fresh, "/api/config"),
  demo: [await statusOf(host, tokens.demo), await statusOf(host, tokens.demo, "/api/config")],
})

const probes = async (host: TestHost) =>
  Promise.all(["/pub/health", "/pub/ready"].map(async path => (await fetch(`${host.url}${path}`)).status))

const ages = async (runtime: TestRuntime, project: Project) => {
  const {stdout} = await svc(runtime, project, ["doctor", "--json"])
  for (const token of [tokens.old, tokens.fresh]) expect(stdout).not.toContain(token)
  const {findings} = JSON.parse(stdout) as {findings: readonly Finding[]}
  const find = (name: string) => findings.find(({check}) => check === name)
  return {token: find("token age")?.detail, previous: find("previous token")}
}

describe.each(bunOr("node24"))("rotating a token on $name", runtime => {
  test("takes one restart: both tokens are accepted then, and the demo token stays valid", async () => {
    const project = makeOld()
    const first = await start(runtime, project)
    expect(await full(first)).toEqual({old: 200, fresh: 401, demo: [200, 403]})
    rotate(project)
    expect(await full(first)).toEqual({old: 200, fresh: 401, demo: [200, 403]})
    // The command line knows only the new token, and the Host still has the old one. The request works nevertheless.
    const asked = await svc(runtime, project, ["runtime", "status"])
    expect({code: asked.code, stderr: asked.stderr}).toEqual({code: 0, stderr: ""})
    const reload = await svc(runtime, project, ["runtime", "reload"])
    expect({code: reload.code, problems: problemsIn(reload.stderr)}).toEqual({code: 1, problems: ["no_supervisor"]})
    const restarted = await svc(runtime, project, ["runtime", "restart", "--confirm"])
    expect({code: restarted.code, stderr: restarted.stderr}).toEqual({code: 0, stderr: ""})
    expect((await first.process.finished).code).toBe(51)

    const host = await start(runtime, project)
    expect(await full(host)).toEqual({old: 200, fresh: 200, demo: [200, 403]})
    expect(await probes(host)).toEqual([200, 200])
    for (const token of [tokens.old, tokens.fresh]) {
      const byHeader = await connectSatori(host, {headers: {authorization: `Bearer ${token}`}, identify: {token}})
      expect((await byHeader.hears(4)).op).toBe(4)
      byHeader.close()
    }
    expect(await clientAt(host.url, tokens.fresh).get("/api/config")).toMatchObject({
      config: {http: {token: "[secret]", previousToken: {token: "[secret]"}}},
    })
    expect(host.process.output()).not.toContain(tokens.old)
  })

  test("ends with the running Host refusing the expired token and, after a reload, forgetting it", async () => {
    const project = makeOld()
    const end = new Date(Date.now() + 4000).toISOString()
    rotate(project, end)
    const host = await start(runtime, project)
    await until("the old token to expire", async () => {
      const sent = Date.now()
      const status = await statusOf(host, tokens.old)
      const [health, ready] = await probes(host)
      expect({health, ready, fresh: await statusOf(host, tokens.fresh)}).toEqual({health: 200, ready: 200, fresh: 200})
      if (Date.now() < Date.parse(end)) expect(status).toBe(200)
      if (sent >= Date.parse(end)) expect(status).toBe(401)
      return status === 401
    })
    expect(await full(host)).toEqual({old: 401, fresh: 200, demo: [200, 403]})
    expect(await (await connectSatori(host, {identify: {token: tokens.old}})).closeCode()).toBe(4004)
    expect((await ages(runtime, project)).previous).toMatchObject({
      level: "warning",
      detail: expect.stringContaining(`it expired at ${end}`),
      remediation: expect.stringContaining("Remove http.previousToken"),
    })

    project.write("svc.config.yml", before)
    const reload = await svc(runtime, project, ["runtime", "reload"])
    expect({code: reload.code, stderr: reload.stderr}).toEqual({code: 0, stderr: ""})
    expect((await ages(runtime, project)).previous).toBeUndefined()
    expect(host.process.child.exitCode).toBeNull()
  })

  test("allows an expired previous token at startup", async () => {
    const project = makeOld()
    rotate(project, "2026-01-01T00:00:00Z")
    expect(await full(await start(runtime, project))).toEqual({old: 401, fresh: 200, demo: [200, 403]})
  })

  test("lets the doctor report how long each token is in use, as far as it is known", async () => {
    const project = makeOld()
    expect((await ages(runtime, project)).token).toMatch(/^http\.token .*\bno known age\b/)
    const began = Date.now()
    await (await start(runtime, project)).stop()
    const known = (await ages(runtime, project)).token ?? ""
    expect(known).toMatch(/^http\.token .* since \S+Z \(0 days\) or longer\b/)
    const since = /since (\S+)/.exec(known)?.[1] ?? ""
    expect(Date.parse(since)).toBeGreaterThanOrEqual(began)
    expect(statSync(project.path(".svc/token-ages.json")).mode & 0o777).toBe(0o600)
    for (const token of Object.values(tokens)) expect(project.read(".svc/token-ages.json")).not.toContain(token)

    rotate(project)
    expect((await ages(runtime, project)).token).toMatch(/^http\.token .*\bin use yet\b/)
    await (await start(runtime, project)).stop()
    const after = await ages(runtime, project)
    expect(after.token).toMatch(/^http\.token .* since \S+Z \(0 days\)$/)
    expect(after.previous).toMatchObject({
      level: "ok",
      detail: expect.stringMatching(new RegExp(`^http\\.previousToken .* since ${since} .*; accepted until`)),
    })

    project.write(".svc/token-ages.json", "{broken")
    expect((await ages(runtime, project)).token).toMatch(/\bno known age\b/)
  })

  test("keeps tokens and their record out of checkpoints, and a restore keeps the record", async () => {
    const project = makeOld()
    await (await start(runtime, project)).stop()
    rotate(project)
    await (await start(runtime, project)).stop()
    const record = project.read(".svc/token-ages.json")
    const {id} = JSON.parse((await svc(runtime, project, ["checkpoint", "create", "--json"])).stdout) as {id: string}
    const manifest = JSON.parse(project.read(`.svc/checkpoints/${id}/manifest.json`)) as {
      secrets: readonly string[]
      files: readonly {path: string}[]
    }
    expect(manifest.secrets).toEqual(["DEMO_TOKEN", "HTTP_PREVIOUS_TOKEN", "HTTP_TOKEN"])
    expect(JSON.stringify(manifest)).not.toContain("token-ages")
    rmSync(project.path(".svc/data.sqlite"))
    const restored = await svc(runtime, project, ["checkpoint", "restore", id])
    expect({code: restored.code, stderr: restored.stderr}).toEqual({code: 0, stderr: ""})
    expect(project.read(".svc/token-ages.json")).toBe(record)
  })
})

test("production refuses the example's placeholder as the previous token", async () => {
  const project = makeOld()
  rotate(project)
  writeEnvironment(project, {HTTP_TOKEN: tokens.fresh, HTTP_PREVIOUS_TOKEN: "replace-me-with-a-long-random-token"})
  const ended = await svc(usualRuntime, project, ["runtime", "start", "--mode", "production", "--no-watch"])
  expect({code: ended.code, problems: problemsIn(ended.stderr)}).toEqual({code: 1, problems: ["token_placeholder"]})
  expect(ended.stderr).toMatch(/^svc: http\.previousToken\.token /)
})
