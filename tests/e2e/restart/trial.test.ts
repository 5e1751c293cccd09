import {existsSync, readdirSync, readFileSync, readlinkSync} from "node:fs"
import {join} from "node:path"
import {describe, expect, onTestFinished, test} from "vitest"
import {startDaemon} from "../../deploy/support/daemon.ts"
import {startHrana} from "../../support/database/hrana-server.ts"
import {posting} from "../../support/host/client.ts"
import {failureOf, generationsOf, statusOf} from "../../support/host/generation.ts"
import {expectProblem, holdPort, shared, startHost, svc, type TestHost, until} from "../../support/host/host.ts"
import {makeNextVersion, newest} from "../../support/host/next-version.ts"
import {makeFolder, makeProject, type Project} from "../../support/host/project.ts"
import {bunAnd, bunOr, casesOf, type TestRuntime, usualRuntime} from "../../support/host/runtimes.ts"
import {mountDisk, needMounts} from "../../support/machine/disk.ts"
import {pluginWith, replying} from "../../support/plugins/plugin-sources.ts"
import {
  blocked,
  brokenChanges,
  builtWith,
  type Circumstances,
  goodConfig,
  goodFiles,
  launcher,
  mend,
  token,
} from "./broken-changes.ts"

const both = bunAnd("node24")

/** A trial on Node takes the processor twice as long, so Bun has two of three. */
const shares = [...both.slice(0, 1), ...both]

const production = ["--mode", "production", "--no-watch"]

/** As under systemd, the Host's environment contains the values of `.env`. */
const env = {SVC_SUPERVISOR: "systemd", HTTP_TOKEN: token}

const makeGoodProject = (): Project => {
  const project = makeProject()
  mend(project)
  return project
}

/** The runtime with the project's launcher in place of svc's. */
const launching = ({command: [program = ""], ...runtime}: TestRuntime, project: Project): TestRuntime => ({
  ...runtime,
  command: [program, project.path(launcher)],
})

const startGood = (runtime: TestRuntime, project = makeGoodProject()): Promise<TestHost> =>
  startHost({own: true, runtime: launching(runtime, project), project, args: production, env})

const ask = (runtime: TestRuntime, project: Project, ...words: readonly string[]) =>
  svc(runtime, project, ["runtime", ...words], {env: {SVC_HTTP_TOKEN: token}})

/** Expects that the same process still runs, is ready, and answers as before. */
const expectUnharmed = async (host: TestHost) => {
  expect(existsSync(`/proc/${host.process.pid}`)).toBe(true)
  expect(JSON.parse(host.project.read(".svc/host.json"))).toMatchObject({pid: host.process.pid})
  expect((await fetch(`${host.url}/pub/ready`)).status).toBe(200)
  expect(await host.say("/word")).toEqual(["one"])
}

const trialsOf = (project: Project): readonly string[] =>
  readdirSync("/proc").filter(pid => {
    if (!/^\d+$/.test(pid)) return false
    try {
      const words = readFileSync(join("/proc", pid, "cmdline"), "utf8").split("\0")
      return words.includes("--trial") && words.includes(project.folder)
    } catch {
      return false
    }
  })

const filesOf = (pid: string): readonly string[] => {
  const folder = join("/proc", pid, "fd")
  try {
    return readdirSync(folder).map(fd => readlinkSync(join(folder, fd)))
  } catch {
    return []
  }
}

describe.each(both)("a production Host on $name", runtime => {
  const host = shared(() => startGood(runtime))

  test("has data that a trial must copy", async () => {
    expect(await host().say("/keep twice")).toEqual(["kept"])
    expect(await host().say("/keep twice")).toEqual(["kept"])
    await host().post("/api/workroom/items", {body: {title: "something to do"}})
    expect((await generationsOf(host())).length).toBe(1)
  })

  test.each(casesOf(brokenChanges, runtime, shares))("keeps running after: $name", async ({by, change, tells}) => {
    const {project} = host()
    onTestFinished(() => mend(project))
    const circumstances: Circumstances = {
      takenPort: (await holdPort()).port,
      makeLater: statement =>
        makeNextVersion(runtime, [{version: newest + 1, name: "wrong", undo: "none", statements: [statement]}]),
    }
    await change(project, circumstances)
    const {code, stderr} = await ask(runtime, project, by)
    expect({code, stderr}).toEqual({
      code: 1,
      stderr: typeof tells === "string" ? expect.stringContaining(tells) : expect.stringMatching(tells),
    })
    await expectUnharmed(host())
    expect(trialsOf(project)).toEqual([])
    expect(existsSync(project.path(".svc/tmp/trial"))).toBe(false)
  })

  test("masks a secret in a failed trial's output, even if the kept end starts within it", async () => {
    const {project} = host()
    onTestFinished(() => mend(project))
    const rest = "y".repeat(3990)
    const printing = `import("node:fs").then(({writeSync}) => {
      writeSync(2, process.env.HTTP_TOKEN + "${rest}")
      process.kill(process.pid, "SIGKILL")
    })`
    project.write("plugins/word.ts", pluginWith(`return ${printing}`))
    const {code, stderr} = await ask(runtime, project, "restart")
    expect({code, stderr}).toEqual({code: 1, stderr: expect.stringContaining("exit code 137")})
    expect(stderr).toContain(`[secret]${rest}`)
    expect(stderr).not.toContain(token.slice(-8))
    await expectUnharmed(host())
  })

  test("keeps running after a broken change and SIGHUP, and its status says why", async () => {
    const {project} = host()
    onTestFinished(() => mend(project))
    project.write("package-lock.json", "[]")
    project.write("plugins/word.ts", pluginWith(`throw new Error("not by a signal either")`))
    host().process.child.kill("SIGHUP")
    await until("the failure of SIGHUP", async () => (await failureOf(host())).reason === "SIGHUP")
    expect((await failureOf(host())).issues.join("\n")).toContain("not by a signal either")
    await expectUnharmed(host())
  })

  test("still has its first generation, and restarts for a good change", async () => {
    const {project, process} = host()
    expect((await generationsOf(host())).length).toBe(1)
    project.write("plugins/word.ts", replying("word", "two"))
    expect(await ask(runtime, project, "restart")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\bcode 51\b/),
    })
    expect((await process.finished).code).toBe(51)
    const next = await startGood(runtime, project)
    expect(await next.say("/word")).toEqual(["two"])
    expect(await statusOf(next)).toMatchObject({endedCleanly: true, lastFailure: null})
  })
})

describe.each(bunOr("node22"))("a trial on $name", runtime => {
  test("is skipped for a forced restart", async () => {
    const host = await startGood(runtime)
    host.project.write("plugins/word.ts", pluginWith(`throw new Error("no word today")`))
    expect((await ask(runtime, host.project, "restart", "--force")).code).toBe(0)
    expect((await host.process.finished).code).toBe(51)
  })

  test("runs one at a time, has none of the Host's files open, and ends when the Host stops", async () => {
    const host = await startGood(runtime)
    const {project} = host
    project.write("plugins/word.ts", pluginWith(blocked))
    const asked = host.fetch("/api/system/restart", post).catch(() => undefined)
    const opened = await until("the trial to reach setup", () => {
      const files = trialsOf(project).flatMap(filesOf)
      return files.some(file => file.endsWith("empty.sqlite")) && files
    })
    // The folder itself is open while it is synced.
    const own = project.path(".svc/tmp/trial")
    const isOwn = (file: string) => file === own || file.startsWith(`${own}/`)
    expect(opened.filter(file => file.startsWith(project.folder) && !isOwn(file))).toEqual([])
    await expectProblem(await host.fetch("/api/system/restart", post), 409, "conflict")
    await expectUnharmed(host)
    expect((await host.stop()).code).toBe(0)
    await asked
    await until("the trial to end", () => trialsOf(project).length === 0)
    expect(existsSync(project.path(".svc/tmp/trial"))).toBe(false)
  })

  test("reads .env as systemd will, and not the Host's own environment", async () => {
    const host = await startGood(runtime)
    const {project} = host
    const config = goodConfig.replace("port: 0", 'port: 0, demoToken: "${DEMO_TOKEN}"')
    project.write("svc.config.yml", config)
    expect((await ask(runtime, project, "restart")).stderr).toContain("DEMO_TOKEN")
    project.write(".env", `${goodFiles[".env"]}DEMO_TOKEN=another-token-of-the-trial-tests\n`)
    expect((await ask(runtime, project, "restart")).code).toBe(0)
    expect((await host.process.finished).code).toBe(51)
  })

  test("runs a good migration on a copy, and leaves the data to the next start", async () => {
    const host = await startGood(runtime)
    const {project} = host
    const read = `async () => JSON.stringify(await plugin.database.read("SELECT count(*) AS n FROM " + plugin.database.table("more")))`
    project.write(
      "plugins/word.ts",
      pluginWith(`
        plugin.database.migrate([{name: "more", up: table => ["CREATE TABLE " + table("more") + " (n)"]}])
        plugin.command("word", ${read})`),
    )
    expect((await ask(runtime, project, "reload")).stdout).toMatch(/\brestarting\b/)
    expect((await host.process.finished).code).toBe(75)
    expect(await (await startGood(runtime, project)).say("/word")).toEqual(['[{"n":0}]'])
  })
})

describe("a change that cannot be tried", () => {
  test("because the disk is too full is refused with that reason", async context => {
    needMounts(context)
    const project = makeGoodProject()
    mountDisk(project.path(".svc/tmp"), "16m")
    const host = await startGood(usualRuntime, project)
    const {code, stderr} = await ask(usualRuntime, project, "restart")
    expect({code, stderr}).toEqual({code: 1, stderr: expect.stringMatching(/\btrial\b.*\b32 MiB\b/)})
    await expectUnharmed(host)
  })

  test("because its migrations are on a remote database needs --force, and other changes do not", async () => {
    const server = await startHrana({file: join(makeFolder(), "remote.sqlite")})
    const project = makeGoodProject()
    project.write("svc.config.yml", `${goodConfig}database: {dialect: libsql, url: "${server.url}"}\n`)
    const host = await startGood(usualRuntime, project)
    const word = (...migrations: readonly string[]) =>
      pluginWith(`
        plugin.database.migrate([${migrations.join(", ")}])
        plugin.command("word", () => "one")`)
    project.write("plugins/word.ts", word(`{name: "more", up: table => ["CREATE TABLE " + table("more") + " (n)"]}`))
    const {code, stderr} = await ask(usualRuntime, project, "restart")
    expect({code, stderr}).toEqual({code: 1, stderr: expect.stringMatching(/\btrial\b.*\bmigrations\b.*\bremote\b/)})
    await expectUnharmed(host)
    project.write("plugins/word.ts", word())
    expect((await ask(usualRuntime, project, "restart")).code).toBe(0)
    expect((await host.process.finished).code).toBe(51)
  })
})

test("the trial of a pinned Host uses the pinned configuration, as the next start would", async () => {
  const host = await startGood(usualRuntime)
  const {project} = host
  project.write("plugins/more.ts", replying("more", "yes"))
  project.write("svc.config.yml", `${goodConfig}  more: {}\n`)
  expect((await ask(usualRuntime, project, "reload")).code).toBe(0)
  await host.post("/api/generations/:number/rollback", {number: 1})
  project.write("plugins/more.ts", "throw new Error(`it runs nowhere`)")
  expect(await ask(usualRuntime, project, "restart")).toMatchObject({code: 0, stderr: ""})
  expect((await host.process.finished).code).toBe(51)
})

describe.each(bunOr("node24"))("under the daemon on $name", runtime => {
  test("a plugin whose built code throws leaves the Host running, and a fix restarts it with the new code", async () => {
    const project = makeGoodProject()
    const daemon = await startDaemon({runtime, project, env: {HTTP_TOKEN: token}})
    const pid = await daemon.serving()
    project.write("dist/plugins/built.js", builtWith(`throw new Error("built wrong")`))
    const refused = await ask(runtime, project, "reload")
    expect(refused).toMatchObject({code: 1, stderr: expect.stringContaining("built wrong")})
    expect(await daemon.serving()).toBe(pid)
    expect((await fetch(`${daemon.url()}/pub/ready`)).status).toBe(200)
    project.write("dist/plugins/built.js", builtWith(`plugin.command("built", {description: "Built"}, () => "again")`))
    expect(await ask(runtime, project, "reload", "--require-ready")).toMatchObject({code: 0, stderr: ""})
    const next = await daemon.serving(pid)
    expect(next).not.toBe(pid)
    expect(daemon.file()).toMatchObject({starts: 2, state: {is: "running", host: next}})
    expect((await fetch(`${daemon.url()}/pub/ready`)).status).toBe(200)
    expect((await ask(runtime, project, "stop")).code).toBe(0)
  })
})

const post = posting()

test("a restart of a Host that is not ready says what is not ready after it", async () => {
  const project = makeGoodProject()
  project.write("svc.config.yml", goodConfig.replace("port: 0", "port: 0, readiness: {agents: [nobody]}"))
  const host = await startGood(usualRuntime, project)
  const asked = await ask(usualRuntime, project, "restart")
  expect(asked).toMatchObject({code: 0, stderr: expect.stringContaining(": agent_missing: ")})
  expect((await host.process.finished).code).toBe(51)
})
