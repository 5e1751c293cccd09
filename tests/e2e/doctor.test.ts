import {execFileSync} from "node:child_process"
import {chmodSync, mkdirSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync} from "node:fs"
import {describe, expect, test} from "vitest"
import {judgeSpace} from "../../server/doctor/files.ts"
import {startHost, svc} from "../support/host.ts"
import {replying} from "../support/plugin-sources.ts"
import {freePort, holdPort} from "../support/ports.ts"
import {makeProject, type Project} from "../support/project.ts"
import {onBun, onNode22, type TestRuntime} from "../support/runtimes.ts"

const token = "a-token-of-thirty-two-characters"

const config = (port: number, more = "") => `http:
  port: ${port}
  token: \${HTTP_TOKEN}
plugins:
  sandbox: {}
  greeter: {}
${more}`

const git = (project: Project, ...args: string[]) => {
  const who = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"]
  execFileSync("git", [...who, ...args], {cwd: project.folder, stdio: "pipe"})
}

/** A project that has nothing wrong: installed, committed, its secrets private. */
const makeSound = async (): Promise<Project> => {
  const project = makeProject({
    config: config(await freePort()),
    plugins: {greeter: replying("greet", "hello")},
    files: {".gitignore": "node_modules/\n.svc/\ndist/\n.env\n", "bun.lock": "{}\n", ".env": `HTTP_TOKEN=${token}\n`},
  })
  chmodSync(project.path(".env"), 0o600)
  git(project, "init", "-q")
  git(project, "add", ".")
  git(project, "commit", "-q", "-m", "A sound project")
  return project
}

interface Finding {
  readonly check: string
  readonly level: "ok" | "warning" | "error"
  readonly detail: string
  readonly remediation?: string
}

const doctor = async (project: Project, runtime: TestRuntime = onBun) => {
  const ended = await svc(runtime, project, ["doctor", "--json"])
  expect(ended.stderr).toBe("")
  expect(ended.stdout).not.toContain(token)
  const {ok, findings} = JSON.parse(ended.stdout) as {ok: boolean; findings: readonly Finding[]}
  expect({code: ended.code, ok}).toEqual(
    findings.some(({level}) => level === "error") ? {code: 1, ok: false} : {code: 0, ok: true},
  )
  for (const finding of findings) {
    expect({...finding, isTold: finding.remediation !== undefined}).toMatchObject({isTold: finding.level !== "ok"})
  }
  return findings
}

/** The findings that are not `ok`, as `level check: detail`. */
const wrong = async (project: Project, runtime?: TestRuntime) =>
  (await doctor(project, runtime))
    .filter(({level}) => level !== "ok")
    .map(({level, check, detail}) => `${level} ${check}: ${detail}`)

describe("svc doctor on a sound project", () => {
  test.each(onNode22 === undefined ? [onBun] : [onBun, onNode22])("finds nothing wrong, on $name", async runtime => {
    const project = await makeSound()
    const findings = await doctor(project, runtime)
    expect(findings.map(({level, check}) => `${level} ${check}`)).toEqual([
      "ok runtime",
      "ok lockfile",
      "ok configuration",
      "ok token",
      "ok environment file",
      "ok build",
      "ok database",
      "ok port",
      "ok disk space",
      "ok clock",
    ])
    expect(findings[0]?.detail).toMatch(runtime === onBun ? /^Bun 1\./ : /^Node 22\.12\.0$/)
  })

  test("tells people the same, errors with what to do, and exits 0 or 1", async () => {
    const project = await makeSound()
    const sound = await svc(onBun, project, ["doctor"])
    expect({code: sound.code, stderr: sound.stderr}).toEqual({code: 0, stderr: ""})
    expect(sound.stdout).toMatch(/^ok {6}runtime: Bun /)
    chmodSync(project.path(".env"), 0o644)
    const unsound = await svc(onBun, project, ["doctor"])
    expect(unsound.code).toBe(1)
    expect(unsound.stdout).toContain(
      "ERROR   environment file: .env can be read by others (mode 644)\n          do: chmod 600 .env\n",
    )
  })

  test("asks the running Host about its database, and knows its port", async () => {
    const project = await makeSound()
    await startHost({project, env: {HTTP_TOKEN: token}})
    const findings = await doctor(project)
    expect(findings.filter(({level}) => level !== "ok")).toEqual([])
    const detailOf = (name: string) => findings.find(({check}) => check === name)?.detail
    expect(detailOf("database")).toMatch(/^sqlite, schema \d+, says the running Host$/)
    expect(detailOf("port")).toMatch(/ is held by this project's Host$/)
  })

  test("warns of a pinned generation, and of a Host that it may not ask", async () => {
    const project = await makeSound()
    const host = await startHost({project, env: {HTTP_TOKEN: token}})
    await host.post("/api/generations/1/rollback")
    expect(await wrong(project)).toEqual([
      "warning pin: the Host runs the pinned configuration of generation 1, not svc.config.yml",
    ])
    project.write(".env", "HTTP_TOKEN=another-token-than-the-hosts\n")
    expect(await wrong(project)).toEqual(["warning database: a Host holds it, and does not say how it is"])
  })
})

describe("svc doctor finds", () => {
  test("a lockfile that is missing, changed, ignored, or in no repository", async () => {
    const project = await makeSound()
    project.write("bun.lock", "{changed}\n")
    expect(await wrong(project)).toEqual(["error lockfile: bun.lock is not committed as it is"])
    git(project, "rm", "-q", "--cached", "bun.lock")
    project.write(".gitignore", "*\n")
    expect(await wrong(project)).toEqual(["error lockfile: bun.lock is not committed as it is"])
    rmSync(project.path(".git"), {recursive: true})
    expect(await wrong(project)).toEqual(["warning lockfile: bun.lock is there; the project is not in git"])
    rmSync(project.path("bun.lock"))
    expect(await wrong(project)).toEqual(["error lockfile: there is no lockfile"])
  })

  test("a configuration error with its position, an unset name, a plugin that does not resolve or load", async () => {
    const project = await makeSound()
    const port = await freePort()
    project.write("svc.config.yml", config(port, "log_levl: info\n"))
    expect(await wrong(project)).toEqual([
      'error configuration: svc.config.yml:7:1 log_levl: unknown key (did you mean "log_level"?)',
    ])
    project.write("svc.config.yml", config(port, "database: {filename: '${DATABASE_FILE}'}\n"))
    expect(await wrong(project)).toEqual([
      "error configuration: svc.config.yml:7:22 database.filename: the environment variable DATABASE_FILE is not set",
    ])
    project.write(".env.production", "DATABASE_FILE=data/bot.sqlite\n")
    chmodSync(project.path(".env.production"), 0o600)
    project.write("bunfig.toml", "env = false\n")
    expect(await wrong(project)).toEqual([])
    project.write("svc.config.yml", config(port, "  nowhere: {}\n"))
    expect(await wrong(project)).toEqual([
      expect.stringMatching(
        /^error configuration: svc\.config\.yml:7:3 plugins\.nowhere: .*no plugins\/nowhere\.ts or \.js/,
      ),
    ])
    project.write("svc.config.yml", config(port))
    project.write("plugins/greeter.ts", "export default {")
    expect(await wrong(project)).toEqual([expect.stringMatching(/^error configuration: plugins\/greeter\.ts:1:\d+ /)])
  })

  test("no project at all", async () => {
    const project = await makeSound()
    rmSync(project.path("svc.config.yml"))
    const findings = await wrong(project)
    expect(findings).toEqual([expect.stringMatching(/^error configuration: .*svc\.config\.yml/)])
  })

  test("a token that is missing, a placeholder, or short", async () => {
    const project = await makeSound()
    project.write(".env", "HTTP_TOKEN=replace-me-with-a-long-random-token\n")
    expect(await wrong(project)).toEqual(["error token: HTTP_TOKEN is the example's placeholder"])
    project.write(".env", "HTTP_TOKEN=short\n")
    expect(await wrong(project)).toEqual(["warning token: HTTP_TOKEN is short"])
    project.write("svc.config.yml", config(await freePort()).replace(/^ {2}token:.*\n/m, ""))
    expect(await wrong(project)).toEqual(["warning token: http.token is not set; production needs it"])
  })

  test("lines of .env that compose, systemd and kubectl read differently, and no others", async () => {
    const project = await makeSound()
    const lines = [
      `HTTP_TOKEN=${token}`,
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
    const alike = ": compose, systemd and kubectl do not read this alike"
    expect(await wrong(project)).toEqual(
      [
        "6 has quotes",
        "7 has spaces around =",
        "8 begins with export",
        "9 has a # that some take for a comment",
        "10 has a $ that some expand",
        "11 has a backslash that some take for an escape",
        "12 is not NAME=value",
      ].map(line => `warning environment file: .env:${line}${alike}`),
    )
  })

  test("files that Bun reads into the environment by itself, unless bunfig.toml turns that off", async () => {
    const project = await makeSound()
    project.write(".env.development", "MORE=1\n")
    chmodSync(project.path(".env.development"), 0o600)
    expect(await wrong(project)).toEqual([
      "warning environment file: on Bun, .env.development may be read whatever --environment says",
    ])
    if (onNode22 !== undefined) expect(await wrong(project, onNode22)).toEqual([])
    project.write("bunfig.toml", "env = false\n")
    expect(await wrong(project)).toEqual([])
  })

  test("a build that is older than its source: changed, added and removed plugins", async () => {
    const project = await makeSound()
    expect((await svc(onBun, project, ["build"])).code).toBe(0)
    expect(await wrong(project)).toEqual([])
    const told = (names: string) => [`error build: dist/plugins is older than its source: ${names}`]
    project.write("plugins/greeter.ts", replying("greet", "good day"))
    expect(await wrong(project)).toEqual(told("greeter"))
    project.write("plugins/more.ts", replying("more", "more"))
    expect(await wrong(project)).toEqual(told("greeter, more"))
    expect((await svc(onBun, project, ["build"])).code).toBe(0)
    expect(await wrong(project)).toEqual([])
    rmSync(project.path("plugins/more.ts"))
    expect(await wrong(project)).toEqual(told("more"))
  })

  test("a database that is a folder, garbage, cut short, or newer than this svc", async () => {
    const project = await makeSound()
    const file = project.path(".svc/data.sqlite")
    const host = await startHost({project, env: {HTTP_TOKEN: token}})
    await host.stop()
    expect(await wrong(project)).toEqual([])
    execFileSync(process.execPath, [
      "--input-type=module",
      "-e",
      `import {createClient} from "@libsql/client"
       await createClient({url: "file:${file}"}).execute("INSERT INTO svc_migrations SELECT 9999, name, applied_at FROM svc_migrations LIMIT 1")`,
    ])
    expect(await wrong(project)).toEqual([
      expect.stringMatching(/^error database: it has schema 9999; this svc knows \d+$/),
    ])
    truncateSync(file, statSync(file).size - 4096 * 3)
    expect(await wrong(project)).toEqual([expect.stringMatching(/^error database: /)])
    writeFileSync(file, "garbage ".repeat(2000))
    expect(await wrong(project)).toEqual([expect.stringMatching(/^error database: .*not a database/)])
    rmSync(file)
    mkdirSync(file)
    expect(await wrong(project)).toEqual([`error database: ${file} is not a file`])
  })

  test("a port that a stranger holds, also beside a Host of this project that has another one", async () => {
    const project = await makeSound()
    const stranger = await holdPort()
    const told = [expect.stringMatching(`^error port: 127.0.0.1:${stranger.port} is held by pid ${process.pid} `)]
    const held = process.platform === "linux" ? told : [expect.stringMatching(/^error port: /)]
    await startHost({project, env: {HTTP_TOKEN: token}, args: ["--no-watch"]})
    project.write("svc.config.yml", config(stranger.port))
    expect(await wrong(project)).toEqual(held)
  })

  test("a clock that is behind the project's files", async () => {
    const project = await makeSound()
    const later = new Date(Date.now() + 3600_000)
    utimesSync(project.path("svc.config.yml"), later, later)
    expect(await wrong(project)).toEqual([
      expect.stringMatching(/^error clock: it is .* svc\.config\.yml was written /),
    ])
  })

  test("a disk that is nearly full", () => {
    const levels = [99, 101, 1023, 1025].map(mebibytes => judgeSpace("/data", mebibytes * 1024 ** 2).level)
    expect(levels).toEqual(["error", "warning", "warning", "ok"])
  })
})
