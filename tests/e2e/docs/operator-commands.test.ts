import {copyFileSync, readFileSync, rmSync} from "node:fs"
import {join} from "node:path"
import {expect, test} from "vitest"
import {startHrana} from "../../support/database/databases.ts"
import {makeReader, urlOf} from "../../support/docs/documented-commands.ts"
import {clientOf, makeReadersProject, readerOf, readersConfig, readersToken} from "../../support/docs/reader-project.ts"
import {printed, printedJson} from "../../support/host/command-line.ts"
import {freePort, makeFolder, onBun, onNode22, root, startHost, until} from "../../support/host/host.ts"
import {describeWith, tool} from "../../support/machine/tools.ts"
import {monitoringFolder} from "../../support/metrics/monitoring.ts"

test("the commands of the pages on changes, capacity, logs, permissions and metrics work", async () => {
  const project = makeReadersProject()
  const reader = readerOf(
    project,
    () => ({"diff 6 7": "diff 1 2", "rollback 6": "rollback 1", "irc~libera": "sandbox"}),
    {isDaemon: true},
  )
  await reader.start()
  await reader.run("docs/operate/logs.md")
  project.write("svc.config.yml", readersConfig.replace("sandbox: {}", "sandbox: {outbox: {}}"))
  await reader.run("docs/operate/change.md")
  await reader.run("docs/operate/change.md", "Change the configuration from the console")
  await reader.run("docs/operate/change.md", "Disable a plugin now")
  await reader.run("docs/operate/change.md", "The Host tries a restart before it ends")
  await reader.run("docs/operate/logs.md", "Earlier runs")
  await reader.run("docs/operate/change.md", "Rotate the token")
  expect(project.read(".env")).toMatch(new RegExp(`^HTTP_TOKEN=[0-9a-f]{64}\nHTTP_PREVIOUS_TOKEN=${readersToken}\n$`))
  await reader.run("docs/operate/check.md", "After a deployment")
  await reader.run("docs/operate/ingress.md")
  await reader.run("docs/operate/capacity.md")
  await reader.run("docs/operate/capacity.md", "When the disk fills")
  await reader.run("docs/operate/permissions.md", "What may this user do here?")
  await reader.run("docs/monitoring.md")
}, 600_000)

test("the commands of the page on starts work, each in place of the previous one", async () => {
  const project = makeReadersProject()
  await readerOf(project).run("docs/operate/run.md", "Start")
}, 600_000)

test("the commands of a project's CI on the page on checks pass", async () => {
  const project = makeReadersProject({
    files: {
      "package.json": JSON.stringify({name: "my-bot", type: "module", scripts: {test: "bun test"}}),
      "tests/greeter.test.ts": readFileSync(`${root}cli/init/template/tests/greeter.test.ts`, "utf8"),
    },
  })
  // CI asks the deployed Host on another machine.
  const deployed = makeReadersProject()
  await readerOf(deployed).start()
  await readerOf(project, () => ({"https://bot.example.org": urlOf(deployed)})).run("docs/operate/check.md", "In CI")
}, 600_000)

test("the commands of the page on state rescue a database whose file is missing", async () => {
  const project = makeReadersProject()
  const spare = makeFolder()
  const reader = readerOf(project, () => ({"/mnt/spare/": `${spare}/`}), {}, onNode22)
  await reader.start()
  for (const end of ["", "-wal", "-shm"]) rmSync(project.path(`.svc/data.sqlite${end}`), {force: true})
  await reader.run("docs/operate/state.md", "When the database file is lost")
  expect(readFileSync(join(spare, "rescued.sqlite")).subarray(0, 15).toString()).toBe("SQLite format 3")
}, 600_000)

test("the commands of the page on backups accept a foreign checkpoint, and remove a secret", async () => {
  const project = makeReadersProject()
  const backup = makeFolder()
  const ids = {inbox: "", outbox: ""}
  const reader = readerOf(project, () => ({
    "/backup/": `${backup}/`,
    "-T bot.tar": `-T ${join(backup, "bot.tar")}`,
    "redact 42": `redact ${ids.inbox}`,
    "01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e": ids.outbox,
  }))
  await reader.start()
  await printed(project, ["checkpoint", "create", "--output", join(backup, "bot.tar.gz")])
  await printed(project, ["checkpoint", "export", "newest", "--output", join(backup, "bot.tar")])
  await printed(project, "checkpoint prune --keep 1")
  // Another project's Host would accept the archive too; this one must no longer have it.
  const {items: kept} = await printedJson<{items: {id: string}[]}>(project, "checkpoint list")
  for (const {id} of kept) rmSync(project.path(".svc/checkpoints", id), {recursive: true})
  await reader.run("docs/backup.md", "Take one from elsewhere")
  const {items: taken} = await printedJson<{items: {id: string}[]}>(project, "checkpoint list")
  expect(taken.map(({id}) => id)).toEqual(kept.map(({id}) => id))

  await clientOf(project).plugin("/api/plugins/sandbox/messages", {text: `/greet ${readersToken}`})
  const secret = await until("the bot to greet the secret", async () => {
    const inbox = await clientOf(project).get("/api/inbox")
    const outbox = await clientOf(project).get("/api/outbox")
    const [event, answer] = [inbox.items[0], outbox.items[0]]
    return event?.state === "handled" && answer?.state === "sent" && {inbox: String(event.seq), outbox: answer.id}
  })
  Object.assign(ids, secret)
  await printed(project, "checkpoint create")
  await reader.run("docs/backup.md", "Secrets")
  const {items: left} = await printedJson<{items: {uploadedAt: string | null}[]}>(project, "checkpoint list")
  expect(left.filter(({uploadedAt}) => uploadedAt === null)).toHaveLength(1)
}, 600_000)

test("the commands of the page on backups work with a remote database and its copy", async () => {
  const server = await startHrana({file: join(makeFolder(), "remote.sqlite")})
  const file = join(makeFolder(), "restored.sqlite")
  const settings = "http: {port: 0}\ndatabase: {dialect: libsql, url: '${DATABASE_URL}'}\nplugins: {sandbox: {}}\n"
  const {project} = await startHost({
    config: settings,
    env: {DATABASE_URL: server.url},
    files: {".env": `DATABASE_URL=${server.url}\n`},
  })
  let copy = ""
  const reader = makeReader(project, onBun, () => ({"http://127.0.0.1:8081": copy}), {
    after: async line => {
      // The provider's own copy of this moment.
      if (line.startsWith("svc ingress pause")) {
        server.sql(`VACUUM INTO '${file}'`)
        const restored = join(makeFolder(), "copy.sqlite")
        copyFileSync(file, restored)
        copy = (await startHrana({file: restored})).url
      }
    },
  })
  await reader.run("docs/backup.md", "A remote database")
}, 600_000)

describeWith("prometheus")("with a real Prometheus", () => {
  test("the commands of the page on monitoring check the example and its rules, and scrape the Host", async () => {
    const project = makeReadersProject()
    await readerOf(project).start()
    const folder = makeFolder()
    for (const name of ["prometheus.yml", "svc.rules.yml"])
      copyFileSync(join(monitoringFolder, name), join(folder, name))
    const here = {
      promtool: tool("promtool").path,
      "prometheus --": `${tool("prometheus").path} --`,
      "127.0.0.1:9090": `127.0.0.1:${await freePort()}`,
      "curl -s": "curl -s --retry 50 --retry-connrefused --retry-delay 1",
    }
    const env = {...tool("prometheus").env, DEMO_TOKEN: readersToken}
    await makeReader({...project, folder}, onBun, () => here, {env}).run("docs/monitoring.md", "Prometheus")
  })
})
