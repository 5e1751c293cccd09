import {existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync} from "node:fs"
import {describe, expect, test} from "vitest"
import type {ReleaseVerification} from "../../../shared/api/release.ts"
import {printed, printedJson, runCommand} from "../../support/host/command-line.ts"
import {type GitProject, makeGitProject} from "../../support/host/git-project.ts"
import {bunOr, onBun, onNode22, pathWith, refusal, startHost, startProcess, until} from "../../support/host/host.ts"
import {makeProject, type Project, plainConfig} from "../../support/host/project.ts"
import {mountDisk, needMounts} from "../../support/machine/disk.ts"
import {makeUpgradable, packageFiles, versions} from "../../support/release/upgrade.ts"
import {allSteps, beginRelease, releaseOf, verifyRelease} from "../../support/release/verifications.ts"

const worktreesOf = (project: GitProject) => project.git("worktree", "list").split("\n").length

const expectNothingLeft = (project: Project) => {
  expect(existsSync(project.path(".svc/tmp/release"))).toBe(false)
  expect(readdirSync(project.path(".svc/tmp")).filter(name => name.startsWith("once-"))).toEqual([])
}

const begun = async (project: Project) => {
  const host = await startHost({project})
  await beginRelease(project)
  await host.stop()
}

const gitProject = (scripts: Readonly<Record<string, string>>, files: Readonly<Record<string, string>> = {}) =>
  makeGitProject({files: {...packageFiles(scripts), ...files}})

/** The lockfile that npm writes for the same packages. */
const packageLock = `${JSON.stringify({
  name: "scratch-bot",
  lockfileVersion: 3,
  requires: true,
  packages: {
    "": {name: "scratch-bot", dependencies: {greeting: "file:./vendor/greeting"}},
    "node_modules/greeting": {resolved: "vendor/greeting", link: true},
    "vendor/greeting": {version: "1.0.0"},
  },
})}\n`

test("a fetched version is tried in a separate work tree on the checkpoint's data, beside the running Host", async () => {
  const {project, next} = makeUpgradable()
  const host = await startHost({project})
  expect(await host.say("hello")).toEqual(["one hello"])
  const {restorePoint} = await beginRelease(project)
  const {code, marks, steps, release, outputOf} = await verifyRelease(project, "next")
  expect({code, marks}).toEqual({code: 0, marks: allSteps})
  expect(release.verification).toMatchObject({commit: next, ok: true})
  expect(steps.map(({command}) => command)).toEqual([
    `git worktree add --detach ${next}`,
    "bun install --frozen-lockfile",
    "svc doctor --static",
    "bun run build",
    "bun run test",
    `svc runtime start --once --mode test --from-checkpoint ${restorePoint?.checkpoint}`,
  ])
  expect(JSON.parse(outputOf("start"))).toMatchObject({ok: true, checkpoint: {id: restorePoint?.checkpoint, inbox: 1}})
  expect(await printed(project, "release status")).toContain(`verification   ${next} passed\n`)
  expect(await printed(project, "release history")).toMatch(/ passed\n?$/)
  expect({plugin: project.read("plugins/notes.ts"), status: project.git("status", "--porcelain")}).toEqual({
    plugin: versions.one.plugin,
    status: "",
  })
  expect(existsSync(project.path("built.txt"))).toBe(false)
  expect(worktreesOf(project)).toBe(1)
  expectNothingLeft(project)
  expect((await host.fetch("/pub/ready")).status).toBe(200)
  project.git("switch", "--quiet", "next")
  expect(await refusal(project, "release complete --accepted-by dana")).toMatch(/\bstarted at commit\b/)
})

test.runIf(onNode22 !== undefined)("on Node with npm, both trials install from npm's lockfile", async () => {
  const project = makeGitProject({
    files: {...packageFiles({test: "test -d node_modules/greeting"}), "bun.lock": "", "package-lock.json": packageLock},
  })
  project.git("rm", "--quiet", "bun.lock")
  project.commit("npm")
  const prepared = await printedJson<ReleaseVerification>(project, "release prepare", onNode22)
  expect(prepared.steps[1]?.command).toBe("npm ci --no-audit --no-fund")
  expect(prepared.steps[3]?.detail).toContain('no script "build"')
  await begun(project)
  rmSync(project.path(".svc/tmp/release/tree/node_modules/greeting"), {recursive: true})
  const {code, marks, steps} = await verifyRelease(project, "", onNode22)
  expect({code, marks}).toEqual({code: 0, marks: allSteps.with(0, "worktree left out").with(3, "build left out")})
  expect(steps[1]?.command).toBe("npm install --no-save --no-audit --no-fund")
})

test("verification stops at the first failed step, shows its end, keeps the full output, and blocks completion", async () => {
  const project = gitProject({build: "seq 1 100", test: "seq 1 5000; echo broken >&2; exit 3"})
  const host = await startHost({project})
  await beginRelease(project)
  const {code, stdout} = await runCommand(project, "release verify")
  expect(code).toBe(1)
  expect(stdout).toMatch(/^test {6}FAILED +\d+\.\d s {2}bun run test\n {4}exit code 3\n/m)
  expect(stdout).toMatch(/\n {4}4999\n {4}5000\n(?: {4}.*\n)* {4}broken\n/)
  expect(stdout).not.toContain("\n    100\n")
  const {verification, id} = await releaseOf(project)
  expect(stdout).toContain(`full output: .svc/verifications/${id}/test.log`)
  expect(project.read(`.svc/verifications/${id}/test.log`)).toMatch(/(^|\n)1\n2\n3\n/)
  expect(statSync(project.path(`.svc/verifications/${id}/test.log`)).mode & 0o777).toBe(0o600)
  expect(verification?.steps.map(({name}) => name)).toEqual(["worktree", "install", "doctor", "build", "test"])
  expect(await refusal(project, "release complete --accepted-by dana")).toContain("failed its verification: test")
  expect(await printed(project, "release status")).toContain("failed: test")
  const types = (await host.get("/api/events/history", {limit: 500})).items
  expect(types.find(({type}) => type === "release.verified")).toMatchObject({data: {ok: false, failed: "test"}})
  expectNothingLeft(project)
  expect(worktreesOf(project)).toBe(1)
})

test("install, build and tests get no secrets, and doctor and start only those that the configuration names", async () => {
  const secret = "a-token-of-thirty-two-characters"
  const project = makeGitProject({
    config: plainConfig.replace("http:\n", "http:\n  token: ${HTTP_TOKEN}\n"),
    files: packageFiles({build: "env", test: 'env; cat "$OPERATOR_FOLDER/.env"'}),
  })
  writeFileSync(project.path(".env"), `HTTP_TOKEN=${secret}\nOTHER_KEY=another-value-of-the-project\n`, {mode: 0o600})
  const env = {
    HTTP_TOKEN: secret,
    OTHER_KEY: "another-value-of-the-project",
    OPERATOR_FOLDER: project.folder,
    SVC_PROJECT: project.folder,
    NODE_ENV: "production",
  }
  const host = await startHost({own: true, project, env})
  await beginRelease(project)
  const verified = startProcess([...onBun.command, "release", "verify"], {cwd: project.folder, env})
  expect(await verified.finished).toMatchObject({code: 0, stdout: expect.stringContaining("start     ok")})
  const {verification} = await releaseOf(project)
  const outputOf = (step: string) => project.read(verification?.steps.find(({name}) => name === step)?.output ?? "")
  expect(outputOf("build")).toContain(`OPERATOR_FOLDER=${project.folder}`)
  expect(outputOf("build")).not.toMatch(/^(HTTP_TOKEN|OTHER_KEY|SVC_PROJECT|NODE_ENV)=/m)
  // Even if a test reads the file, the value is masked in the output.
  expect(outputOf("test")).toContain("HTTP_TOKEN=[secret]")
  expect(project.read(".svc/releases.jsonl")).not.toContain(secret)
  expect(outputOf("doctor")).toContain("token: http.token is set")
  expect((await host.stop()).code).toBe(0)
})

test("an unsuitable or missing lockfile, a missing package manager and an unknown commit are reported", async () => {
  const project = gitProject({})
  const fits = project.git("rev-parse", "HEAD")
  project.write("package.json", project.read("package.json").replace("./vendor/greeting", "./vendor/farewell"))
  const misfit = project.commit("package.json alone")
  project.git("rm", "--quiet", "bun.lock")
  const none = project.commit("no lockfile")
  project.write("pnpm-lock.yaml", "lockfileVersion: '9.0'\n")
  const pnpm = project.commit("pnpm")
  project.git("switch", "--quiet", "--detach", fits)
  await begun(project)
  const failing = async (commit: string) => {
    const {code, marks, steps} = await verifyRelease(project, commit)
    expect({code, marks}).toEqual({code: 1, marks: ["worktree ok", "install FAILED"]})
    return steps[1]?.detail
  }
  expect(await failing(misfit)).toMatch(/lockfile had changes, but lockfile is frozen/)
  expect(await failing(none)).toMatch(/^there is no lockfile\n.*commit the lockfile/)
  expect(await failing(pnpm)).toContain("cannot start pnpm")
  expect(await refusal(project, "release verify no-such-branch")).toMatch(/\bno-such-branch\b.*\bthis repository\b/)
  expect(await refusal(project, "release verify --limit soon")).toMatch(/--limit .*\bduration\b/)
})

test("a step over its limit is ended with all the processes that it started", async () => {
  const project = gitProject({build: 'sleep 100 & echo $! > "$NOTES"; sleep 100'})
  await begun(project)
  const notes = project.path(".svc/pid")
  const runFor = async (seconds: number) => {
    const limit = `${seconds}s`
    const run = startProcess([...onBun.command, "release", "verify", "--limit", limit], {
      cwd: project.folder,
      env: {NOTES: notes},
    })
    const {code, stdout} = await run.finished
    expect({code, stdout}).toMatchObject({code: 1, stdout: expect.stringContaining(` within ${seconds} s`)})
    return stdout
  }
  // The earlier steps have the same limit, and need longer on a busy machine.
  let stdout = await runFor(1)
  for (let seconds = 4; project.read(".svc/pid") === "" && seconds <= 16; seconds *= 2) stdout = await runFor(seconds)
  expect(stdout).toMatch(/^build {5}FAILED/m)
  await until("the processes of the step to end", () => !isRunning(Number(project.read(".svc/pid"))))
  expectNothingLeft(project)
})

/** A process that has ended but was not reaped yet does not count as running. */
const isRunning = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
  } catch {
    return false
  }
}

describe.each(bunOr("node24"))("on $name", runtime => {
  test("Ctrl-C and kill -9 leave no half-prepared version, and a prepared one waits for its verification", async () => {
    const heldAt = (step: string) => `test ! -e "$NOTES/${step}" || { echo $$ > "$NOTES/pid"; sleep 100; }`
    const project = gitProject(
      {
        build: `${heldAt("build")}; echo built > built.txt`,
        test: `${heldAt("test")}; test -f built.txt -a ! -e left.txt && echo left > left.txt`,
      },
      {".gitignore": "node_modules\n.svc\ndata\nbuilt.txt\n"},
    )
    const host = await startHost({project, runtime})
    const env = {NOTES: project.path(".svc"), PATH: pathWith(onBun)}
    const start = (command: string) =>
      startProcess([...runtime.command, "release", command], {cwd: project.folder, env})
    const endAt = async (step: string, command: string, signal: NodeJS.Signals) => {
      project.write(`.svc/${step}`, "")
      project.write(".svc/pid", "")
      const {child, finished} = start(command)
      const pid = await until("the step to begin", () => Number(project.read(".svc/pid")) || false)
      child.kill(signal)
      const {stderr} = await finished
      await until("the step to end", () => !isRunning(pid))
      rmSync(project.path(`.svc/${step}`))
      return stderr
    }
    const prepared = async () => (await printedJson<{prepared: object | null}>(project, "release status")).prepared
    const prepare = async () => {
      const stdout = expect.stringMatching(/^start .* --from-checkpoint /m)
      expect(await start("prepare").finished).toMatchObject({code: 0, stdout})
      const commit = project.git("rev-parse", "HEAD")
      expect(await prepared()).toMatchObject({verification: {commit, ok: true}})
    }
    await endAt("build", "prepare", "SIGKILL")
    expect([await prepared(), worktreesOf(project)]).toEqual([null, 2])
    expect(await endAt("build", "prepare", "SIGINT")).toMatch(/\brecorded nothing\b/)
    expectNothingLeft(project)
    await prepare()
    expect(await host.get("/api/ingress")).toMatchObject({state: "open"})
    await beginRelease(project)
    expect(await refusal(project, "release prepare")).toContain("svc release verify")
    await endAt("test", "verify", "SIGKILL")
    expect((await releaseOf(project)).verification).toBe(null)
    expect((await verifyRelease(project, "", runtime, env)).marks).toEqual(
      allSteps.with(0, "worktree left out").with(3, "build left out"),
    )
    expectNothingLeft(project)
    await printed(project, "release abort --reason late")
    for (const end of ["abort --reason late", "complete --accepted-by dana --unverified tried"]) {
      await prepare()
      await beginRelease(project)
      await printed(project, `release ${end}`)
      expectNothingLeft(project)
    }
    expect(worktreesOf(project)).toBe(1)
  }, 480_000)
})

test("without git, a copy without ignored files is tried, and only identical files can be completed", async () => {
  const project = makeProject({
    files: {
      ...packageFiles({test: "test ! -e ignored.txt -a ! -e .env -a -f vendor/greeting/package.json; ls -a"}),
      ".gitignore": "ignored.txt\n",
      "ignored.txt": "not a source",
      ".env": "",
    },
  })
  const host = await startHost({project})
  await beginRelease(project)
  const {code, marks, steps, release} = await verifyRelease(project)
  expect({code, marks}).toEqual({code: 0, marks: allSteps.with(0, "worktree left out").with(3, "build left out")})
  expect(steps[0]?.detail).toMatch(/\bgit work tree: /)
  expect(release.verification).toMatchObject({commit: null, copy: expect.stringMatching(/^[0-9a-f]{64}$/)})
  expectNothingLeft(project)
  project.write("plugins/late.ts", "// not tried")
  expect(await refusal(project, "release complete --accepted-by dana")).toMatch(/\bfiles differ\b/)
  rmSync(project.path("plugins"), {recursive: true})
  await printed(project, "release complete --accepted-by dana")
  expect((await host.stop()).code).toBe(0)
})

test("a full disk is reported as that, and verification leaves no files on it", async context => {
  needMounts(context)
  const project = gitProject({build: "head -c 9000000 /dev/zero > large"}, {"large.txt": "x".repeat(3_000_000)})
  await begun(project)
  const disk = mountDisk(project.path(".svc/tmp"), "1m")
  const checkedOut = await verifyRelease(project)
  expect(checkedOut).toMatchObject({code: 1, marks: ["worktree FAILED"]})
  expect(checkedOut.steps[0]?.detail).toMatch(/\bdisk is full: .* 3 MiB, .*\.svc\/tmp .* 1 MiB free\nFree space/)
  expectNothingLeft(project)
  disk.resize("8m")
  const built = await verifyRelease(project)
  expect(built).toMatchObject({code: 1, marks: ["worktree ok", "install ok", "doctor ok", "build FAILED"]})
  expect(built.steps[3]?.detail).toMatch(/\bdisk is full \(0 MiB free .*\.svc\/tmp\): free space/)
  expectNothingLeft(project)
  expect(worktreesOf(project)).toBe(1)
})
