import {existsSync, readFileSync, renameSync} from "node:fs"
import {hostname} from "node:os"
import {join} from "node:path"
import {setTimeout as sleep} from "node:timers/promises"
import {describe, expect, test} from "vitest"
import {makeReader} from "../support/docs/documented-commands.ts"
import {runCommand} from "../support/host/command-line.ts"
import {expectProblem, holdPort, makeProject, onBun, onNode22, type Project, root, svc} from "../support/host/host.ts"
import {problemsIn} from "../support/host/problems-in.ts"
import {runProcess, startProcess, until} from "../support/host/process.ts"
import {daemonConfig, daemonToken, isRunning, startDaemon, type TestDaemon} from "./support/daemon.ts"

const page = "docs/deploy/service.md"

const both = onNode22 === undefined ? [onBun] : [onBun, onNode22]

const wordPlugin = (word: string) => `
import {definePlugin} from "svc-runtime"
export default definePlugin({setup: plugin => plugin.command("word", {description: "A word"}, () => "${word}")})
`

const withWord = `${daemonConfig.replace("sandbox: {}", "sandbox: {}, word: {}")}`

const status = (project: Project, env: Record<string, string> = {}) =>
  svc(onBun, project, ["runtime", "status", "--json"], {env: {HTTP_TOKEN: daemonToken, ...env}})

const stop = (project: Project) => runCommand(project, "runtime stop")

/** Waits until the process has ended, or is a zombie that nobody has waited for. */
const gone = (pid: number) => until(`pid ${pid} to end`, () => !isRunning(pid))

/** Kills its Host four times. The next pause, the longest, lasts four seconds. Resolves to the pid during it. */
const crashIntoPause = async (daemon: TestDaemon): Promise<number> => {
  let host = await daemon.serving()
  for (let round = 1; round <= 3; round++) {
    process.kill(host, "SIGKILL")
    host = await daemon.serving(host)
  }
  process.kill(host, "SIGKILL")
  await until("the pause", () => {
    const file = daemon.file()
    return file?.starts === 4 && file.state.is === "waiting"
  })
  return daemon.file()?.pid ?? 0
}

const parentOf = (pid: number) => Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1])

describe.each(both)("svc runtime start --daemon on $name", runtime => {
  test("returns once the Host serves, restarts a killed Host, and ends with it in order", async () => {
    const daemon = await startDaemon({runtime})
    const first = await daemon.serving()
    const pid = daemon.file()?.pid ?? 0
    expect(daemon.started).toMatchObject({code: 0, stderr: ""})
    expect(daemon.started.stdout).toMatch(new RegExp(`\\bpid ${pid}\\b.*\\bpid ${first}\\b`))
    process.kill(first, "SIGKILL")
    const second = await daemon.serving(first)
    expect(daemon.log()).toMatch(/\bSIGKILL\b/)
    const told = JSON.parse((await status(daemon.project)).stdout)
    expect(told).toMatchObject({supervisor: "daemon", endedCleanly: false, owner: {daemon: {pid, starts: 2}}})

    expect(await stop(daemon.project)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(new RegExp(`\\bpid ${pid}\\b.*\\bpid ${second}\\n$`)),
      stderr: "",
    })
    expect(isRunning(second)).toBe(false)
    await gone(pid)
    expect(daemon.log()).toContain("stopping (SIGTERM)")
    expect(daemon.file()?.state).toMatchObject({is: "ended", code: 0})
    expect(problemsIn((await stop(daemon.project)).stderr)).toEqual(["host_unreachable"])
  })

  test("restarts the Host on 51 and 75 without a confirmation, with the new code", async () => {
    const daemon = await startDaemon({runtime, config: withWord, plugins: {word: wordPlugin("one")}})
    const first = await daemon.serving()
    expect((await daemon.post("/api/system/restart")).status).toBe(202)
    const second = await daemon.serving(first)
    daemon.project.write("plugins/word.ts", wordPlugin("two"))
    expect(await (await daemon.post("/api/system/reload")).json()).toMatchObject({restarting: true})
    await daemon.serving(second)
    expect(daemon.log()).toMatch(/\bcode 51\b/)
    expect(daemon.log()).toMatch(/\bcode 75\b/)
    expect(JSON.parse((await status(daemon.project)).stdout)).toMatchObject({restarts: 2, endedCleanly: true})
    const restart = await svc(runtime, daemon.project, ["runtime", "restart"], {env: {HTTP_TOKEN: daemonToken}})
    expect(restart.stdout).toMatch(/^pid \d+ .*\bcode 51; daemon /)
  })

  test("gives up after five starts in 120 s; the command, the log and the status say why", async () => {
    const daemon = await startDaemon({runtime, config: `${daemonConfig}prot: 1\n`})
    const why = /\b5 starts in 120 s\b.*\bcode 1\b/
    expect(daemon.started.code).toBe(1)
    expect(daemon.started.stderr).toMatch(why)
    expect(daemon.started.stderr).toContain(".svc/runtime.log")
    expect(daemon.file()).toMatchObject({starts: 5, state: {is: "ended", code: 1, why: expect.stringMatching(why)}})
    expect(daemon.log().match(/prot: unknown key/g)).toHaveLength(5)
    expect(daemon.log()).toMatch(why)
    const told = await status(daemon.project)
    expect({code: told.code, problem: JSON.parse(told.stderr).code}).toEqual({code: 1, problem: "host_unreachable"})
    expect(JSON.parse(told.stderr).detail).toMatch(why)
  })

  test("refuses a restart that would make the daemon give up, and both keep running", async () => {
    const daemon = await startDaemon({runtime})
    let host = await daemon.serving()
    for (let n = 0; n < 4; n++) {
      expect((await daemon.post("/api/system/restart")).status).toBe(202)
      host = await daemon.serving(host)
    }
    const problem = await expectProblem(await daemon.post("/api/system/restart"), 429, "restart_limit")
    expect(problem.detail).toMatch(/^daemon .*\b5 starts in 120 s\b.* 5; .*\d{4}-\d\d-\d\d/)
    expect(daemon.file()).toMatchObject({starts: 5, state: {is: "running", host}})
    expect((await fetch(`${daemon.url()}/pub/ready`)).status).toBe(200)
  })

  test("does not count starts while the port is taken for a while", async () => {
    const {port, release} = await holdPort()
    const project = makeProject({config: daemonConfig.replace("port: 0", `port: ${port}`)})
    const starting = startDaemon({runtime, project})
    const isTold = () =>
      existsSync(project.path(".svc/runtime.log")) &&
      new RegExp(`127\\.0\\.0\\.1:${port} .*\\bpid ${process.pid}\\b`).test(project.read(".svc/runtime.log"))
    await until("the daemon to find the port in use", isTold, 60_000)
    await sleep(8000)
    await release()
    const daemon = await starting
    expect(daemon.started).toMatchObject({code: 0, stderr: ""})
    expect(daemon.file()).toMatchObject({starts: 1, state: {is: "running"}})
  })

  test("stops at once during a pause between two starts", async () => {
    const daemon = await startDaemon({runtime})
    const pid = await crashIntoPause(daemon)
    process.kill(pid, "SIGTERM")
    await gone(pid)
    expect(daemon.file()).toMatchObject({
      starts: 4,
      state: {is: "ended", code: 0, why: expect.stringContaining("stopped")},
    })
  })

  test("reports during a pause when the next start is, and why", async () => {
    const daemon = await startDaemon({runtime})
    process.kill(await crashIntoPause(daemon), "SIGSTOP")
    expect(JSON.parse((await status(daemon.project)).stderr).detail).toMatch(/\bdaemon, pid \d+, .*\bSIGKILL\b/)
  })

  test("when killed leaves its Host without a supervisor; the next daemon takes over after a stop", async () => {
    const daemon = await startDaemon({runtime})
    const host = await daemon.serving()
    const pid = daemon.file()?.pid ?? 0
    process.kill(pid, "SIGKILL")
    await gone(pid)
    await until("the Host to lose its parent", () => parentOf(host) !== pid)
    expect((await fetch(`${daemon.url()}/pub/ready`)).status).toBe(200)
    await expectProblem(await daemon.post("/api/system/restart"), 409, "no_supervisor")
    expect(JSON.parse((await status(daemon.project)).stdout)).toMatchObject({supervisor: "none"})
    const doctor = await svc(runtime, daemon.project, ["doctor"], {env: {HTTP_TOKEN: daemonToken}})
    expect(doctor.stdout).toMatch(/^warning restarts: .*\bdaemon\b.*\bkilled\b/m)

    const second = await startDaemon({runtime, project: daemon.project})
    expect(second.started.code).toBe(1)
    expect(second.started.stderr).toContain(`a Host holds this project: pid ${host} on ${hostname()}`)
    expect(await stop(daemon.project)).toMatchObject({code: 0, stdout: `stopped pid ${host}\n`})
    expect((await startDaemon({runtime, project: daemon.project})).started.code).toBe(0)
    expect(JSON.parse((await status(daemon.project)).stdout)).toMatchObject({endedCleanly: true, supervisor: "daemon"})
  })

  test("reopens its log on SIGUSR2 after a rename, without a torn or lost line", async () => {
    const daemon = await startDaemon({runtime})
    await daemon.serving()
    const {project} = daemon
    renameSync(project.path(".svc/runtime.log"), project.path(".svc/runtime.log.1"))
    const [line = ""] = /^ +kill -USR2 .*$/m.exec(readFileSync(join(root, page), "utf8")) ?? []
    const signalled = await runProcess(["sh", "-c", line.replaceAll("/srv/bots/my-bot", project.folder)])
    expect(signalled).toMatchObject({code: 0, stderr: ""})
    await until("the log to be reopened", () => /\breopened\b/.test(daemon.log()))
    const before = project.read(".svc/runtime.log.1").length
    await stop(project)
    expect(project.read(".svc/runtime.log.1")).toHaveLength(before)
    const lines = [...project.read(".svc/runtime.log.1").split("\n"), ...daemon.log().split("\n")]
    expect(lines.filter(line => line !== "").map(line => JSON.parse(line).message)).toEqual(
      expect.arrayContaining(["generation 1 committed (started)", "stopping (SIGTERM)", "stopped"]),
    )
  })
})

describe("svc runtime start --daemon", () => {
  test("is refused while a daemon or a Host runs for the project", async () => {
    const daemon = await startDaemon()
    await daemon.serving()
    const second = await startDaemon({project: daemon.project})
    expect(second.started.code).toBe(1)
    expect(second.started.stderr).toContain(`a daemon holds this project: pid ${daemon.file()?.pid}`)
    expect((await svc(onBun, daemon.project, ["runtime", "start"])).stderr).toContain("a Host holds this project")
    expect(daemon.file()).toMatchObject({starts: 1, state: {is: "running"}})
  })

  test.each([
    ["kubernetes", {KUBERNETES_SERVICE_HOST: "10.0.0.1"}],
    ["launchd", {XPC_SERVICE_NAME: "svc.my-bot"}],
    ["pm2", {pm_id: "0"}],
    ["supervisord", {SUPERVISOR_ENABLED: "1", SUPERVISOR_PROCESS_NAME: "bot"}],
    ["mine", {SVC_SUPERVISOR: "mine"}],
  ])("is refused under %s", async (name, env) => {
    const {started, project} = await startDaemon({env})
    expect({code: started.code, stdout: started.stdout}).toEqual({code: 1, stdout: ""})
    expect(started.stderr).toContain(`svc: ${name} `)
    expect(started.stderr).toContain("without --daemon")
    expect(existsSync(project.path(".svc"))).toBe(false)
  })

  test("is refused in a process that systemd started, also through a script runner", async () => {
    const project = makeProject({config: daemonConfig})
    const command = `${onBun.command.join(" ")} runtime start --daemon`
    for (const how of [`exec ${command}`, `${command}; exit $?`]) {
      const shell = ["sh", "-c", `export INVOCATION_ID=1 SYSTEMD_EXEC_PID=$$; ${how}`]
      const ended = await startProcess(shell, {cwd: project.folder}).finished
      expect({code: ended.code, stderr: ended.stderr}).toEqual({
        code: 1,
        stderr: expect.stringMatching(/^svc: systemd /m),
      })
    }
  })

  test("ignores a stale pid, also when another process has it", async () => {
    const innocent = startProcess(["sleep", "600"])
    const {project, ...first} = await startDaemon()
    const pid = first.file()?.pid ?? 0
    const host = await first.serving()
    process.kill(pid, "SIGKILL")
    process.kill(host, "SIGKILL")
    await Promise.all([gone(pid), gone(host)])
    for (const name of [".svc/daemon.json", ".svc/daemon-holder.json", ".svc/holder.json"])
      project.write(
        name,
        project.read(name).replaceAll(String(pid), String(innocent.pid)).replaceAll(String(host), String(innocent.pid)),
      )
    expect(problemsIn((await stop(project)).stderr)).toEqual(["host_unreachable"])
    expect(JSON.parse((await status(project)).stderr).detail).toContain("was killed")
    const second = await startDaemon({project})
    expect(second.started.code).toBe(0)
    expect(second.file()?.pid).not.toBe(innocent.pid)
    expect(isRunning(innocent.pid)).toBe(true)
  })

  test("has a page whose commands work exactly as written", async () => {
    const env = {".env": `HTTP_TOKEN=${daemonToken}\n`}
    const daemon = await startDaemon({files: env})
    await stop(daemon.project)
    await makeReader(daemon.project, onBun, () => ({})).run(page, "Without a service manager")
    expect(daemon.file()?.state).toMatchObject({is: "ended", code: 0})
  })

  test("passes SIGHUP on, and the Host loads its current configuration", async () => {
    const daemon = await startDaemon({config: withWord, plugins: {word: wordPlugin("one")}})
    const host = await daemon.serving()
    daemon.project.write("svc.config.yml", daemonConfig)
    process.kill(daemon.file()?.pid ?? 0, "SIGHUP")
    await until("the reload", () => daemon.log().includes("generation 2 committed (SIGHUP)"))
    expect(daemon.file()?.state).toEqual({is: "running", host})
  })

  test("writes to --log-file, which is refused without --daemon", async () => {
    const daemon = await startDaemon({args: ["--log-file", "bot.log"]})
    expect(daemon.started.stdout).toContain("log: bot.log")
    const log = () => daemon.project.read("bot.log")
    await until("the log to be written", () => log().includes("generation 1 committed (started)"))
    expect(existsSync(daemon.project.path(".svc/runtime.log"))).toBe(false)
    const refused = await runCommand(daemon.project, "runtime start --log-file bot.log")
    expect({code: refused.code, stderr: refused.stderr}).toEqual({
      code: 1,
      stderr: expect.stringContaining("--log-file needs --daemon"),
    })
  })

  test("does not start when its log cannot be written", async () => {
    const {started} = await startDaemon({args: ["--log-file", "missing/bot.log"]})
    expect(started).toMatchObject({code: 1, stderr: expect.stringContaining("missing/bot.log")})
  })
})

describe("a Host with another owner", () => {
  test("is not stopped by svc runtime stop, which names the owner, without a confirmation", async () => {
    const project = makeProject({config: daemonConfig})
    const env = {HTTP_TOKEN: daemonToken, SVC_SUPERVISOR: "pm2"}
    const host = startProcess([...onBun.command, "runtime", "start", "--no-watch"], {cwd: project.folder, env})
    await until("the Host to serve", () => existsSync(project.path(".svc/host.json")))
    const refused = await stop(project)
    expect(refused).toMatchObject({code: 1, stdout: ""})
    expect(refused.stderr).toMatch(new RegExp(`^svc: pm2 .*\\bpid ${host.pid}\\b`))
    expect(refused.stderr).toContain("pm2 stop <name>")
    expect(await runCommand(project, "runtime stop --confirm")).toMatchObject({code: 0})
    expect((await host.finished).code).toBe(0)
  })

  test("has two owners beside an enabled service of the same project, says svc doctor", async () => {
    const project = makeProject({config: daemonConfig})
    const unit = "svc-scratch-bot.service"
    const units = "home/.config/systemd/user"
    project.write(`${units}/${unit}`, `[Service]\nWorkingDirectory=${project.folder}\n`)
    project.write(`${units}/default.target.wants/${unit}`, "")
    const env = {HOME: project.path("home"), HTTP_TOKEN: daemonToken}
    const doctor = () => svc(onBun, project, ["doctor"], {env})
    expect((await doctor()).stdout).toContain(`ok      restarts: only systemd (${unit}) starts the Host`)
    const daemon = await startDaemon({project})
    const found = await doctor()
    expect(found.stdout).toContain(`: systemd (${unit}) and the daemon (pid ${daemon.file()?.pid})`)
    expect(found.code).toBe(1)
  })
})
