import {execFileSync} from "node:child_process"
import {chmodSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {describe, expect, test} from "vitest"
import {checkLockfile, checkSpace, judgeSpace} from "../../../server/doctor/files.ts"
import {weaknessOf} from "../../../server/project/token-strength.ts"
import {projectPaths} from "../../../server/runtime/project.ts"
import {
  makeFolder,
  onBun,
  onNode22,
  type Project,
  pluginWith,
  replying,
  shared,
  startHost,
  svc,
  until,
} from "../../support/host/host.ts"
import {freePort, holdPort} from "../../support/machine/ports.ts"
import * as command from "./doctor.ts"
import {configure, makeSoundProject, runGit, soundConfig, soundToken, startDoctor} from "./doctor.ts"

const doctor = shared(startDoctor)

const findingsOf = (project: Project) => doctor().findingsOf(project)

describe("svc doctor finds", () => {
  test("a lockfile that is missing, changed, ignored, or outside of git", async () => {
    const project = await makeSoundProject()
    project.write("bun.lock", "{changed}\n")
    expect(await findingsOf(project)).toEqual([expect.stringMatching(/^error lockfile: bun\.lock /)])
    runGit(project, "rm", "-q", "--cached", "bun.lock")
    project.write(".gitignore", "*\n")
    expect(await findingsOf(project)).toEqual([expect.stringMatching(/^error lockfile: bun\.lock /)])
    rmSync(project.path(".git"), {recursive: true})
    expect(await findingsOf(project)).toEqual([expect.stringMatching(/^warning lockfile: bun\.lock /)])
    rmSync(project.path("bun.lock"))
    expect(await findingsOf(project)).toEqual([expect.stringMatching(/^error lockfile: (?!bun\.lock)/)])
  })

  test("no git problem inside an image, which names its commit in SVC_COMMIT", async () => {
    const project = await makeSoundProject()
    rmSync(project.path(".git"), {recursive: true})
    const lockfile = async (env: Record<string, string>) => {
      const {level, detail} = await checkLockfile(projectPaths(project.folder), env)
      return `${level}: ${detail}`
    }
    const inImage = {SVC_COMMIT: "abc123", SVC_IMAGE: "my-bot:2"}
    const told = "ok: bun.lock exists, in the image my-bot:2 of commit abc123"
    expect(await lockfile(inImage)).toBe(told)
    expect((await svc(onBun, project, ["doctor"], {env: inImage})).stdout).toContain(told.replace("ok:", "lockfile:"))
    expect(await lockfile({SVC_COMMIT: "", SVC_IMAGE: ""})).toMatch(/^ok: bun\.lock (?!.*abc123)/)
    expect(await lockfile({})).toMatch(/^warning: bun\.lock /)
    rmSync(project.path("bun.lock"))
    expect(await lockfile({SVC_COMMIT: "abc123"})).toMatch(/^error: (?!bun\.lock)/)
  })

  test("a valid configuration that differs from the last commit", async () => {
    const project = await makeSoundProject()
    project.write("svc.config.yml", `${project.read("svc.config.yml")}# one more line\n`)
    expect(await findingsOf(project)).toEqual([expect.stringMatching(/^warning configuration: svc\.config\.yml /)])
  })

  test("a plugin that the running Host has quarantined", async () => {
    const project = await makeSoundProject()
    const torn = `const clock = setInterval(() => { throw new Error("torn") }, 5); plugin.defer(() => clearInterval(clock))`
    project.write("plugins/greeter.ts", pluginWith(torn))
    const host = await startHost({own: true, project, env: {HTTP_TOKEN: soundToken}})
    await until("the plugin to be quarantined", async () =>
      (await host.get("/api/plugins")).items.some(({state}: {state: string}) => state === "quarantined"),
    )
    const {code, stdout} = await svc(onBun, project, ["doctor"], {env: {HTTP_TOKEN: soundToken}})
    expect(code).toBe(1)
    expect(stdout).toMatch(/ERROR\s+plugins: greeter is quarantined: .*torn/)
    await host.stop()
  })

  test("a job file that is invalid or belongs to another history", async () => {
    const project = await makeSoundProject()
    const file = "data/schedule-jobs.json"
    const detail = async () => (await doctor().examine(project)).find(({check}) => check === "jobs")?.detail
    project.write(file, '{"version": 1, "jobs": []}')
    expect(await detail()).toMatch(/^data\/schedule-jobs\.json .* jobs: 0; .*\bauthority\b/)
    await (await startHost({project, env: {HTTP_TOKEN: soundToken}})).stop()
    expect(await detail()).toBe("data/schedule-jobs.json is valid; jobs: 0")
    project.write(file, '{"version": 1, "job": []}')
    expect(await findingsOf(project)).toEqual([expect.stringMatching(/^error jobs: data\/schedule-jobs\.json:1:\d+/)])
    const other = "11111111-1111-4111-8111-111111111111"
    project.write(file, JSON.stringify({version: 1, authority: other, jobs: []}))
    expect(await findingsOf(project)).toEqual([
      expect.stringMatching(
        new RegExp(`^error authority: .*\n.*: database \\(.*\n  authority ${other}, epoch 111111111111: job file \\(`),
      ),
    ])
  })

  test("a configuration error with its position, an unset variable, and a plugin that does not resolve or load", async () => {
    const project = await makeSoundProject()
    const port = await freePort()
    project.write("svc.config.yml", soundConfig(port, "log_levl: info\n"))
    expect(await findingsOf(project)).toEqual([
      'error configuration: svc.config.yml:5:1 log_levl: unknown key (did you mean "log_level"?)',
    ])
    configure(project, soundConfig(port, "database: {filename: '${DATABASE_FILE}'}\n"))
    expect(await findingsOf(project)).toEqual([
      "error configuration: svc.config.yml:5:22 database.filename: the environment variable DATABASE_FILE is not set",
    ])
    project.write(".env.production", "DATABASE_FILE=data/bot.sqlite\n")
    chmodSync(project.path(".env.production"), 0o600)
    project.write("bunfig.toml", "env = false\n")
    expect(await findingsOf(project)).toEqual([])
    project.write("svc.config.yml", soundConfig(port, "  nowhere: {}\n"))
    expect(await findingsOf(project)).toEqual([
      expect.stringMatching(
        /^error configuration: svc\.config\.yml:5:3 plugins\.nowhere: .*no plugins\/nowhere\.ts or \.js/,
      ),
    ])
    project.write("svc.config.yml", soundConfig(port))
    project.write("plugins/greeter.ts", "export default {")
    expect(await findingsOf(project)).toEqual([
      expect.stringMatching(/^error configuration: plugins\/greeter\.ts:1:\d+ /),
    ])
  })

  test("a missing project", async () => {
    const project = await makeSoundProject()
    rmSync(project.path("svc.config.yml"))
    const findings = await command.findingsOf(project)
    expect(findings).toEqual([expect.stringMatching(/^error configuration: .*svc\.config\.yml/)])
  })

  test("a token that is missing, short or a placeholder", async () => {
    const project = await makeSoundProject()
    project.write(".env", "HTTP_TOKEN=replace-me-with-a-long-random-token\n")
    expect(await findingsOf(project)).toEqual([expect.stringMatching(/^error token: http\.token .*placeholder/)])
    project.write(".env", "HTTP_TOKEN=short\n")
    expect(await findingsOf(project)).toEqual(["error token: http.token has fewer than 16 characters"])
    project.write(".env", "HTTP_TOKEN=k3jf9-zq1xv7mp2r\n")
    expect(await findingsOf(project)).toEqual(["error token: http.token has at most 83 bits of entropy; it needs 128"])
    project.write(".env", "HTTP_TOKEN=password-password\n")
    expect(await findingsOf(project)).toEqual([`error token: http.token ${weaknessOf("password-password")}`])
    configure(project, soundConfig(await freePort()).replace(/, token: "[^"]+"/, ""))
    expect(await findingsOf(project)).toEqual(["warning token: http.token is not set; production needs it"])
  })

  test("only those .env lines that compose, systemd and kubectl read differently", async () => {
    const project = await makeSoundProject()
    const lines = [
      `HTTP_TOKEN=${soundToken}`,
      "# a comment",
      "",
      "PLAIN=a-b_c.d/e:f@g,h%i+j==",
      "EMPTY=",
      'QUOTED="a b"',
      "SPACED = value",
      "export EXPORTED=1",
      "HASH=a #b",
      "DOLLAR=a$b",
      "BACKSLASH=a\\nb",
      "nothing",
    ]
    project.write(".env", `${lines.join("\n")}\n`)
    expect(await findingsOf(project)).toEqual(
      [
        [6, "quotes"],
        [7, "="],
        [8, "export"],
        [9, "#"],
        [10, "[$]"],
        [11, "backslash"],
        [12, "NAME=value"],
      ].map(([line, sign]) => expect.stringMatching(`^warning environment file: \\.env:${line} .*${sign}`)),
    )
  })

  test("files that Bun loads into the environment, unless bunfig.toml turns that off", async () => {
    const project = await makeSoundProject()
    project.write(".env.development", "MORE=1\n")
    chmodSync(project.path(".env.development"), 0o600)
    expect(await findingsOf(project)).toEqual([
      "warning environment file: Bun may read .env.development although --environment names another file",
    ])
    if (onNode22 !== undefined) expect(await command.findingsOf(project, onNode22)).toEqual([])
    project.write("bunfig.toml", "env = false\n")
    expect(await findingsOf(project)).toEqual([])
  })

  test("a build that does not match its source: changed, added and removed plugins", async () => {
    const project = await makeSoundProject()
    expect((await svc(onBun, project, ["build"])).code).toBe(0)
    expect(await findingsOf(project)).toEqual([])
    const told = (names: string) => [expect.stringMatching(`^error build: dist/plugins .*: ${names}$`)]
    project.write("plugins/greeter.ts", replying("greet", "good day"))
    expect(await findingsOf(project)).toEqual(told("greeter"))
    project.write("plugins/more.ts", replying("more", "more"))
    expect(await findingsOf(project)).toEqual(told("greeter, more"))
    expect((await svc(onBun, project, ["build"])).code).toBe(0)
    expect(await findingsOf(project)).toEqual([])
    rmSync(project.path("plugins/more.ts"))
    expect(await findingsOf(project)).toEqual(told("more"))
  })

  test("a database that is a folder, garbage, truncated, or newer than this svc", async () => {
    const project = await makeSoundProject()
    const file = project.path(".svc/data.sqlite")
    await (await startHost({project, env: {HTTP_TOKEN: soundToken}})).stop()
    expect(await findingsOf(project)).toEqual([])
    execFileSync(process.execPath, [
      "--input-type=module",
      "-e",
      `import {createClient} from "@libsql/client"
       await createClient({url: "file:${file}"}).execute("INSERT INTO svc_migrations SELECT 9999, name, applied_at FROM svc_migrations LIMIT 1")`,
    ])
    expect(await findingsOf(project)).toEqual([expect.stringMatching(/^error database: .*\b9999\b.* \d+$/)])
    truncateSync(file, statSync(file).size - 4096 * 3)
    expect(await findingsOf(project)).toEqual([expect.stringMatching(/^error database: /)])
    writeFileSync(file, "garbage ".repeat(2000))
    expect(await findingsOf(project)).toEqual([expect.stringMatching(/^error database: .*not a database/)])
    rmSync(file)
    mkdirSync(file)
    expect(await findingsOf(project)).toEqual([expect.stringContaining(`error database: ${file} `)])
  })

  test("a Journal in files that is damaged or has another authority than the project", async () => {
    const project = await makeSoundProject()
    configure(project, soundConfig(await freePort(), "workroom:\n  store: file\n"))
    const host = await startHost({project, env: {HTTP_TOKEN: soundToken}})
    expect((await svc(onBun, project, ["workroom", "add", "Renew the certificate"])).code).toBe(0)
    await host.stop()
    const findings = await doctor().examine(project)
    expect(findings).toContainEqual({check: "workroom", level: "ok", detail: expect.stringMatching(/\b1$/)})
    const authority = readFileSync(project.path(".svc/authority.json"), "utf8")
    project.write(".svc/authority.json", JSON.stringify({authority: "another"}))
    expect(await findingsOf(project)).toEqual([
      expect.stringMatching(
        /^error authority: .*\n.*: database \(.*workroom Journal \(.*\n {2}authority another, epoch another: authority file \(\.svc\/authority\.json\)$/,
      ),
    ])
    project.write(".svc/authority.json", authority)
    const segment = project.path(".svc/workroom-journal/0000000000000001.segment")
    const bytes = readFileSync(segment)
    bytes.writeUInt8(bytes.readUInt8(100) ^ 1, 100)
    writeFileSync(segment, bytes)
    expect(await findingsOf(project)).toEqual([
      expect.stringMatching(/^error workroom: record 1 in 0000000000000001\.segment, at byte 0: /),
    ])
  })

  test("a port that another process holds, even while a Host runs on another port", async () => {
    const project = await makeSoundProject()
    const stranger = await holdPort()
    const told = [expect.stringMatching(`^error port: 127.0.0.1:${stranger.port} .* by pid ${process.pid}\\b`)]
    const held = process.platform === "linux" ? told : [expect.stringMatching(/^error port: /)]
    await startHost({project, env: {HTTP_TOKEN: soundToken}, args: ["--no-watch"]})
    configure(project, soundConfig(stranger.port))
    expect(await command.findingsOf(project)).toEqual(held)
  })

  test("a clock that is behind the project's files", async () => {
    const project = await makeSoundProject()
    const later = new Date(Date.now() + 3600_000)
    utimesSync(project.path("svc.config.yml"), later, later)
    expect(await findingsOf(project)).toEqual([
      expect.stringMatching(/^error clock: it is .* svc\.config\.yml was written /),
    ])
  })

  test("a disk that is nearly full", () => {
    const levels = [99, 101, 1023, 1025].map(mebibytes => judgeSpace(["/data"], mebibytes * 1024 ** 2).level)
    expect(levels).toEqual(["error", "warning", "warning", "ok"])
  })

  test("the free space of each file system only once, even for several folders", async () => {
    const [here, there] = [makeFolder(), "/dev"]
    const folders = async (...asked: string[]) =>
      (await checkSpace(asked)).map(({detail}) => detail.replace(/^\d+ MiB free for /, ""))
    expect(await folders(join(here, "data"), join(here, ".svc"), join(here, "data"))).toEqual([
      `${here}/data and ${here}/.svc`,
    ])
    expect(await folders(here, there)).toEqual([here, there])
  })
})
