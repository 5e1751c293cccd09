import {existsSync} from "node:fs"
import {createServer, request} from "node:http"
import {join} from "node:path"
import {describe, expect, test} from "vitest"
import {problems} from "../../../shared/problems.ts"
import {makeFolder, startHrana} from "../../support/database/databases.ts"
import {bunOr, expectProblem, launchHost, onBun, onNode22, startHost} from "../../support/host/host.ts"
import {isOk, type Running, until, untilPrinted} from "../../support/host/process.ts"
import {makeProject, type Project} from "../../support/host/project.ts"
import {listen} from "../../support/machine/listen.ts"
import {freePort, holdPort} from "../../support/machine/ports.ts"

const both = onNode22 === undefined ? [onBun] : [onBun, onNode22]

const token = "a-token-of-the-patience-tests-0123456789"
const production = {args: ["--mode", "production", "--no-watch"], env: {HTTP_TOKEN: token}}

const onPort = (port: number, more = "") =>
  `http: {port: ${port}, token: "\${HTTP_TOKEN}"}\nplugins: {sandbox: {}}\n${more}`

const starts = (project: Project) => (JSON.parse(project.read(".svc/starts.json")) as {starts: unknown[]}).starts

const ready = (port: number) => until("the Host to be ready", () => isOk(`http://127.0.0.1:${port}/pub/ready`))

const expectEnd = async (running: Running, code: number) => {
  const ended = await running.finished
  expect({code: ended.code, signal: ended.signal}).toEqual({code, signal: null})
  return ended
}

describe("a port in use, in production,", () => {
  test.each(both)("is reported with its holder, and the process takes it once it is free, on $name", async runtime => {
    const {port, release} = await holdPort()
    const {project, process: running} = launchHost({runtime, config: onPort(port), ...production})
    await untilPrinted(running, new RegExp(`127\\.0\\.0\\.1:${port} .*\\bpid ${process.pid}\\b`))
    expect(running.output()).toMatch(/\bretries for 25 s\b/)
    await release()
    await ready(port)
    expect(starts(project)).toHaveLength(1)
    running.child.kill("SIGTERM")
    expect((await expectEnd(running, 0)).stderr).toBe("")
  })

  test("ends the Host with 1, the error and a hint after 25 s, without flooding the log", async () => {
    const {port} = await holdPort()
    const began = performance.now()
    const {process: running} = launchHost({config: onPort(port), ...production})
    const {stdout, stderr} = await expectEnd(running, 1)
    expect(performance.now() - began).toBeGreaterThan(24_000)
    expect(stderr).toMatch(new RegExp(`^svc: 127\\.0\\.0\\.1:${port} .*\\n {2}hint: ${problems.port_taken.hint}`))
    const told = stdout.split("\n").filter(line => line.includes("already in use"))
    expect(told.length).toBeGreaterThan(1)
    expect(told.length).toBeLessThan(8)
  })

  test.each(both)("does not delay a stop, which is graceful and exits 0, on $name", async runtime => {
    const {port} = await holdPort()
    const {process: running} = launchHost({runtime, config: onPort(port), ...production})
    await untilPrinted(running, "already in use")
    running.child.kill("SIGTERM")
    expect((await expectEnd(running, 0)).stderr).toBe("")
  })
})

/** A proxy in front of a database. It forwards requests, refuses them, or cuts the connections. */
const startFront = async (behind: string) => {
  const front = {state: "down" as "down" | "cut" | "up", url: ""}
  const server = createServer((incoming, answer) => {
    if (front.state === "cut") return void incoming.socket.destroy()
    if (front.state === "down") return void answer.writeHead(503).end("no database yet")
    const {method = "GET", headers, url = "/"} = incoming
    const passed = request(new URL(url, behind), {method, headers}, response => {
      answer.writeHead(response.statusCode ?? 500, response.headers)
      response.pipe(answer)
    })
    passed.on("error", () => answer.destroy())
    incoming.pipe(passed)
  })
  front.url = `http://127.0.0.1:${await listen(server)}`
  return front
}

const remote = (url: string) => `database: {dialect: libsql, url: "${url}", authToken: "\${DATABASE_TOKEN}"}\n`

describe("an unreachable remote database, in production,", () => {
  test.each(both)("leaves the Host up, not ready, until the database answers, on $name", async runtime => {
    const server = await startHrana({file: join(makeFolder(), "remote.sqlite"), token: "right"})
    const front = await startFront(server.url)
    const port = await freePort()
    const {project, process: running} = launchHost({
      runtime,
      config: onPort(port, remote(front.url)),
      ...production,
      env: {...production.env, DATABASE_TOKEN: "right"},
    })
    for (const state of ["down", "cut"] as const) {
      front.state = state
      await untilPrinted(running, /\bremote database at\b/)
      for (let n = 0; n < 20; n++) {
        expect((await fetch(`http://127.0.0.1:${port}/pub/health`)).status).toBe(200)
        expect((await fetch(`http://127.0.0.1:${port}/pub/ready`)).status).toBe(503)
      }
    }
    const problem = await expectProblem(await fetch(`http://127.0.0.1:${port}/api/system/status`), 503, "starting")
    expect(problem.detail).toMatch(/\bdatabase\b/)
    front.state = "up"
    await ready(port)
    expect(starts(project)).toHaveLength(1)
    running.child.kill("SIGTERM")
    await expectEnd(running, 0)
  })

  test("does not delay a stop, which is graceful and exits 0", async () => {
    const front = await startFront("http://127.0.0.1:1")
    const {process: running} = launchHost({
      config: onPort(0, remote(front.url)),
      ...production,
      env: {...production.env, DATABASE_TOKEN: "right"},
    })
    await untilPrinted(running, /\bremote database at\b/)
    running.child.kill("SIGTERM")
    expect((await expectEnd(running, 0)).stderr).toBe("")
  })

  test("is not retried if it rejects the token", async () => {
    const server = await startHrana({file: join(makeFolder(), "remote.sqlite"), token: "right"})
    const {process: running} = launchHost({
      config: onPort(0, remote(server.url)),
      ...production,
      env: {...production.env, DATABASE_TOKEN: "wrong"},
    })
    const {stdout, stderr} = await expectEnd(running, 1)
    expect(stderr).toMatch(/^svc: .*\bremote database at\b/m)
    expect(stdout).not.toContain("tries again")
  })

  test.for(bunOr("node24"))("or one held by another Host is used once that Host stops, on $name", async runtime => {
    const server = await startHrana({file: join(makeFolder(), "remote.sqlite"), token: "right"})
    const options = {
      runtime,
      config: onPort(0, remote(server.url)),
      ...production,
      env: {...production.env, DATABASE_TOKEN: "right"},
    }
    const first = await startHost({own: true, ...options})
    const project = makeProject({
      config: options.config,
      files: {".svc/authority.json": first.project.read(".svc/authority.json")},
    })
    const {process: running} = launchHost({...options, project})
    await untilPrinted(running, `: runtimeId ${first.runtimeId}`)
    expect((await first.stop()).code).toBe(0)
    await until("the second Host to serve", () => existsSync(project.path(".svc/host.json")))
    running.child.kill("SIGTERM")
    await expectEnd(running, 0)
  })
})
