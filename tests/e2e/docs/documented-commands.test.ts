import {execFileSync} from "node:child_process"
import {copyFileSync, cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {describe, expect, onTestFinished, test} from "vitest"
import {makeReader, urlOf} from "../../support/docs/documented-commands.ts"
import {clientOf, makeReadersProject, readerOf, readersToken} from "../../support/docs/reader-project.ts"
import {printed, printedJson, runCommand} from "../../support/host/command-line.ts"
import {bunOr, makeFolder, onBun, root, startHost, until} from "../../support/host/host.ts"
import {makeNextVersion} from "../../support/host/next-version.ts"
import {makeUpgradable} from "../../support/release/upgrade.ts"
import {releaseOf} from "../../support/release/verifications.ts"

const withToken = (config: string) => config.replace("http:\n", "http:\n  token: ${HTTP_TOKEN}\n")

const keepToken = (path: string) => writeFileSync(path, `HTTP_TOKEN=${readersToken}\n`, {mode: 0o600})

describe.each(bunOr("node22"))("on $name", runtime => {
  test("the release and rollback pages work as written under a daemon, and the bot's answers prove the code", async () => {
    const {project, next} = makeUpgradable(withToken, runtime)
    keepToken(project.path(".env"))
    const origin = makeFolder()
    project.git("clone", "--quiet", "--bare", ".", origin)
    project.git("--git-dir", origin, "branch", "--force", "main", next)
    project.git("remote", "add", "origin", origin)
    // The state before the release: packages and build, made by hand.
    execFileSync(onBun.command[0] ?? "bun", ["install", "--frozen-lockfile", "--silent"], {cwd: project.folder})
    await printed(project, "build", runtime)
    let checkpoint = ""
    const answers: [string, string][] = []
    const answer = async () => {
      const headers = {authorization: `Bearer ${readersToken}`}
      const asked = await fetch(`${urlOf(project)}/api/plugins/notes/version`, {headers}).catch(() => undefined)
      return asked === undefined ? "none" : ((await asked.json()) as {version: string}).version
    }
    const reader = makeReader(
      project,
      runtime,
      () => ({
        "svc doctor --live http://127.0.0.1:8068": `SVC_HTTP_TOKEN=${readersToken} svc doctor --live ${urlOf(project)}`,
        "20261121-120933-7f226e": checkpoint,
      }),
      {isDaemon: true, after: async line => void answers.push([line, await answer()])},
    )
    onTestFinished(async () => void (await runCommand(project, "runtime stop", runtime)))
    await reader.start()
    const before = project.git("rev-parse", "HEAD")
    await reader.run("docs/operate/release.md")
    const release = await releaseOf(project)
    expect(release).toMatchObject({state: "observing", verification: {commit: next, ok: true}, acceptedBy: "dana"})
    const answered = (line: string) => answers.findLast(([each]) => each.startsWith(line))?.[1]
    expect([
      answered("svc release install"),
      answered("svc runtime restart"),
      answered("svc release complete"),
    ]).toEqual(["one", "two", "two"])
    expect(project.git("rev-parse", "main")).toBe(next)
    checkpoint = release.restorePoint?.checkpoint ?? ""
    await reader.run("docs/operate/rollback.md")
    expect([answered("svc runtime stop"), answered("svc ingress resume")]).toEqual(["none", "one"])
    expect(project.git("rev-parse", "HEAD")).toBe(before)
    expect(await releaseOf(project)).toMatchObject({id: release.id, state: "rolled_back"})
  }, 600_000)
})

test("the commands of the page on migrations work as written, run by a next version", async () => {
  const project = makeReadersProject()
  await (await startHost({project, env: {HTTP_TOKEN: readersToken}})).say("before")
  await makeReader(project, await makeNextVersion(onBun), () => ({})).run("docs/operate/migrate.md")
  const {items} = await printedJson<{items: {id: string; reason: string}[]}>(project, "checkpoint list")
  expect(items.map(({reason}) => reason)).toEqual(["migration"])
  const older = makeReader(project, onBun, () => ({"20261121-144512-8c41d0": items[0]?.id ?? ""}))
  await older.run("docs/operate/migrate.md", "Go back")
  expect((await clientOf(project).get("/api/inbox")).items).toHaveLength(1)
}, 600_000)

test("the commands of the pages on backups and incidents work as written", async () => {
  const project = makeReadersProject()
  const backup = project.path("data/backup")
  mkdirSync(backup, {recursive: true})
  const reader = readerOf(project, () => ({"/backup/": `${backup}/`}))
  await reader.start()
  await clientOf(project).plugin("/api/plugins/sandbox/messages", {text: "/greet Ada"})
  await reader.run("docs/operate/incident.md")
  await reader.run("docs/backup.md", "Make one")
  const {items} = await printedJson<{items: {state: string}[]}>(project, "checkpoint list")
  expect(items.map(({state}) => state)).toEqual(["verified", "verified"])
  await reader.run("docs/backup.md", "Restore one")
}, 600_000)

test("the page on backups brings a project to a new machine, from git or into an empty folder", async () => {
  const {project, upgrade} = makeUpgradable(withToken)
  keepToken(project.path(".env"))
  const host = await startHost({project, env: {HTTP_TOKEN: readersToken}})
  expect(await host.say("hello")).toEqual(["one hello"])
  await host.stop()
  const backup = makeFolder()
  await printed(project, ["checkpoint", "create", "--output", join(backup, "bot.tar.gz")])
  const commit = project.git("rev-parse", "HEAD")
  copyFileSync(project.path(".env"), join(backup, "bot.env"))
  for (const name of ["plugins", "vendor"]) cpSync(project.path(name), join(backup, "code", name), {recursive: true})
  // The code has changed since then; the clone has the newest version.
  upgrade()
  for (const [heading, tree] of [
    ["On a new machine", commit],
    ["Into an empty folder", ""],
  ] as const) {
    // A plugin finds svc above its project.
    const machine = makeFolder()
    mkdirSync(join(machine, "node_modules"))
    symlinkSync(root, join(machine, "node_modules/svc-runtime"))
    const folder = join(machine, "bot")
    mkdirSync(folder)
    const bot = {...project, folder, path: (...parts: string[]) => join(folder, ...parts)}
    const reader = makeReader(bot, onBun, () => ({
      "/backup/": `${backup}/`,
      "https://git.example.org/my-bot.git": project.folder,
      "4b825dc642cb6eb9a060e54bf8d69288fbee4904": commit,
    }))
    await reader.run("docs/backup.md", heading)
    expect((await clientOf(bot).get("/api/inbox")).items).toHaveLength(1)
    await clientOf(bot).plugin("/api/plugins/sandbox/messages", {text: "again"})
    await until("the old code to answer", async () => {
      return (await clientOf(bot).get("/api/outbox")).items.some(({text}) => text === "one again")
    })
    expect(existsSync(bot.path(".git"))).toBe(tree !== "")
    if (tree !== "") expect(project.git("-C", folder, "rev-parse", "HEAD")).toBe(tree)
  }
}, 600_000)
