import {existsSync, mkdirSync, readFileSync, statSync, symlinkSync} from "node:fs"
import {setTimeout as sleep} from "node:timers/promises"
import {describe, expect, onTestFinished, test} from "vitest"
import {expectProblem, makeProject, type Project, posting, problemsIn, startHost, svc} from "../../support/host/host.ts"
import {type Running, startProcess, until, untilPrinted} from "../../support/host/process.ts"
import {bunAnd, onBun, onNode22, pathWith, root, type TestRuntime} from "../../support/host/runtimes.ts"
import {pluginWith, replying} from "../../support/plugins/plugin-sources.ts"

const token = "full-token-of-the-exit-test"

const config = `http: {port: 0, token: "\${HTTP_TOKEN}"}
plugins: {sandbox: {}, word: {}}
`

const production = ["runtime", "start", "--mode", "production", "--no-watch"]

/** A way to start a Host: the command of a person or a supervisor in the project's folder. */
interface Way {
  readonly name: string
  readonly command: readonly string[]
  /** The runtime behind `node` or `bun` on the PATH. */
  readonly onPath?: TestRuntime
}

const runner: Way = {name: "bun run start", command: ["/usr/bin/env", "bun", "run", "start"], onPath: onBun}

const ways: readonly Way[] = [
  {name: "bun", command: [...onBun.command, ...production]},
  runner,
  ...(onNode22 === undefined
    ? []
    : [
        {
          name: "the installed bin on node22",
          command: ["/usr/bin/env", "node_modules/.bin/svc", ...production],
          onPath: onNode22,
        },
      ]),
]

const makeInstalledProject = (): Project => {
  const start = `bun run --bun svc ${production.join(" ")}`
  const manifest = JSON.stringify({name: "exit-bot", type: "module", scripts: {start}})
  const project = makeProject({config, plugins: {word: replying("word", "one")}, files: {"package.json": manifest}})
  mkdirSync(project.path("node_modules/.bin"), {recursive: true})
  symlinkSync(`${root}cli/launch.js`, project.path("node_modules/.bin/svc"))
  return project
}

interface Started {
  readonly project: Project
  readonly process: Running
  post(path: string, body?: unknown): Promise<Response>
}

const start = async ({command, onPath}: Way): Promise<Started> => {
  const project = makeInstalledProject()
  const PATH = onPath === undefined ? (process.env.PATH ?? "") : pathWith(onPath)
  const running = startProcess(command, {cwd: project.folder, env: {HTTP_TOKEN: token, PATH}})
  const file = await until("the Host to serve", () => existsSync(project.path(".svc/host.json"))).then(
    () => JSON.parse(readFileSync(project.path(".svc/host.json"), "utf8")) as {url: string; pid: number},
  )
  onTestFinished(() => killIfAlive(file.pid))
  const post = (path: string, body: unknown = {}) =>
    fetch(`${file.url}${path}`, posting(body, {authorization: `Bearer ${token}`}))
  return {project, process: running, post}
}

/** Kills the Host itself, which may be the child of a script runner. */
const killIfAlive = (pid: number) => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // The Host has ended already, as expected.
  }
}

/** The output of `bun run` itself: the command, and its exit code. */
const scriptRunner = /^(\$ .*|error: (script )?"\w+" exited with code \d+)\n/gm

/** Expects that the Host went through its complete shutdown. */
const expectOrderlyEnd = async ({project, process: {finished}}: Started, code: number, reason: string) => {
  const ended = await finished
  const stderr = ended.stderr.replace(scriptRunner, "")
  expect({code: ended.code, signal: ended.signal, stderr}).toEqual({code, signal: null, stderr: ""})
  expect(ended.stdout).toMatch(new RegExp(`stopping \\(.*${reason}`))
  expect(ended.stdout.trimEnd().split("\n").at(-1)).toContain('"stopped"')
  expect(existsSync(project.path(".svc/host.json"))).toBe(false)
  // The database is complete in one file, so a copy of that file has everything.
  expect(statSync(project.path(".svc/data.sqlite-wal"), {throwIfNoEntry: false})?.size ?? 0).toBe(0)
}

describe.each(ways)("a Host started as $name", way => {
  test.each(["SIGTERM", "SIGINT"] as const)("stops gracefully with 0 on %s", async signal => {
    const host = await start(way)
    host.process.child.kill(signal)
    await expectOrderlyEnd(host, 0, signal)
  })

  test("stops gracefully with 51 for a confirmed restart over the API", async () => {
    const host = await start(way)
    await expectProblem(await host.post("/api/system/restart"), 409, "no_supervisor")
    expect((await host.post("/api/system/restart", {confirm: true})).status).toBe(202)
    await expectOrderlyEnd(host, 51, "restart requested")
  })
})

test("a script runner passes on 75 for a confirmed reload of changed code in production", async () => {
  const host = await start(runner)
  host.project.write("plugins/word.ts", replying("word", "two"))
  await expectProblem(await host.post("/api/system/reload"), 409, "no_supervisor")
  const answer = await host.post("/api/system/reload", {confirm: true})
  expect(await answer.json()).toMatchObject({committed: false, generation: 1, restarting: true})
  await expectOrderlyEnd(host, 75, "the code of plugins.word")
})

const env = {HTTP_TOKEN: token}

test("without a supervisor, a restart is refused for svc runtime restart and reload, with a hint at --confirm", async () => {
  const project = makeInstalledProject()
  const host = await startHost({own: true, project, args: production.slice(2), env})
  project.write("plugins/word.ts", replying("word", "two"))
  for (const command of ["restart", "reload"]) {
    const refused = await svc(onBun, project, ["runtime", command], {env})
    expect({code: refused.code, stdout: refused.stdout}).toEqual({code: 1, stdout: ""})
    expect(problemsIn(refused.stderr)).toEqual(["no_supervisor"])
    expect(refused.stderr).toContain("--confirm")
  }
  const accepted = await svc(onBun, project, ["runtime", "restart", "--confirm"], {env})
  expect({code: accepted.code, stdout: accepted.stdout}).toEqual({
    code: 0,
    stdout: expect.stringMatching(`^pid ${host.process.pid} .* code 51\n$`),
  })
  expect((await host.process.finished).code).toBe(51)
})

/** A plugin that never finishes any part of its shutdown. */
const endlessPlugin = pluginWith(`
    plugin.on("message-created", () => { console.log("handling"); return new Promise(() => {}) })
    plugin.adapter("endless", {
      history: "none",
      open: async (_, endpoint) => {
        endpoint.defer(() => new Promise(() => {}))
        return {send: async ({id}) => ({ids: [id]})}
      },
    })
    plugin.defer(() => new Promise(() => {}))`)

describe.each(bunAnd("node22"))("a second signal on $name", runtime => {
  test("stops the Host at once with 128 plus its number, even while it drains", async () => {
    const host = await startHost({
      own: true,
      runtime,
      config: "http: {port: 0}\nplugins: {sandbox: {}, endless: {}}\n",
      plugins: {endless: endlessPlugin},
    })
    await host.plugin("/api/plugins/sandbox/messages", {text: "hello"})
    await untilPrinted(host.process, "handling")
    host.process.child.kill("SIGINT")
    await untilPrinted(host.process, "stopping (SIGINT)")
    // Within the first second, a second signal counts as the same request: a terminal and a script runner both send
    // Ctrl-C.
    await sleep(1200)
    expect((await host.stop("SIGTERM")).code).toBe(128 + 15)
  })
})
