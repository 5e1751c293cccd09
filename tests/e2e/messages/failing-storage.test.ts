import {rmSync} from "node:fs"
import {join} from "node:path"
import {describe, expect, test} from "vitest"
import {makeFolder, startHrana} from "../../support/database/databases.ts"
import {freePort, pluginWith, runtimes, startHost, type TestHost, tell, until} from "../../support/host/host.ts"
import {faultRun} from "../../support/machine/fault-run.ts"

const {rounds} = faultRun("storage-cuts")

/** How long the rounds may take, in milliseconds. */
const patience = 120_000 + rounds * 15_000

/** Its commands use the storage once the file `go` exists. */
const keeper = pluginWith(`
    const count = plugin.state("plugin", Type.Object({n: Type.Integer({default: 0})}), {name: "count"})
    const gone = async () => {
      note("begun")
      while (!existsSync(join(plugin.project, "go"))) await sleep(5)
    }
    plugin.command("read", async ({session}) => {
      await gone()
      await session.state(count).get()
      return String((await plugin.database.read("SELECT 1 AS one"))[0].one)
    })
    plugin.command("write", async () => {
      await gone()
      await count.of().set({n: 1})
    })
    plugin.command("wrong", async () => {
      await gone()
      await plugin.database.read("SELECT nothing FROM nowhere")
    })
    plugin.command("file", async () => {
      await gone()
      return h("file", {src: new Uint8Array(1000), title: "zeros"})
    })`).replace("{definePlugin,", "{definePlugin, h,")

/** Says the commands, and resolves to their numbers once all handlers wait for the file `go`. */
const say = async (host: TestHost, commands: readonly string[]) => {
  for (const path of ["go", "notes.log"]) rmSync(join(host.project.folder, path), {force: true})
  const sns = await Promise.all(
    commands.map(async (text, n) => {
      const sn = await tell(host, {text, channel: `c${n}`})
      return sn
    }),
  )
  await until("the handlers to begin", () => host.project.read("notes.log").split("\n").length > commands.length)
  return sns
}

/** Each round logs at least one wait. */
const untilRetrying = (host: TestHost, round: number) =>
  until("a handler to wait", () => (host.process.output().match(/retrying/g)?.length ?? 0) >= round)

const statesOf = async (host: TestHost, sns: readonly number[]) =>
  until("the handlers to end", async () => {
    const events = await Promise.all(sns.map(sn => host.get("/api/inbox/:seq", {seq: sn})))
    const states = events.flatMap(({marks}) => marks.map(({state}) => state))
    return !states.some(state => state === "pending" || state === "running") && states
  })

describe.each(runtimes)("on $name", {timeout: patience}, runtime => {
  test("handlers wait for a remote database that is cut off", async () => {
    const place = {file: join(makeFolder(), "remote.sqlite"), port: await freePort()}
    let server = await startHrana(place)
    const host = await startHost({
      own: true,
      runtime,
      args: ["--no-watch"],
      plugins: {keeper},
      config: `http: {port: 0}
database: {dialect: libsql, url: "http://127.0.0.1:${place.port}"}
plugins: {sandbox: {}, keeper: {}}
`,
    })
    for (let round = 1; round <= rounds; round++) {
      const sns = await say(host, ["/read", "/read", "/write", "/wrong"])
      await server.close()
      host.project.write("go", "")
      await untilRetrying(host, round)
      server = await startHrana(place)
      expect(await statesOf(host, sns)).toEqual(["handled", "handled", "handled", "failed"])
    }
  })

  test("handlers wait while no file can be stored", async () => {
    const config = "http: {port: 0}\nplugins: {sandbox: {}, keeper: {}}\n"
    const host = await startHost({own: true, runtime, config, plugins: {keeper}, args: ["--no-watch"]})
    const files = join(host.project.folder, "data/files")
    for (let round = 1; round <= rounds; round++) {
      const sns = await say(host, ["/file", "/file", "/read"])
      rmSync(files, {recursive: true, force: true})
      host.project.write("data/files", "in the way")
      host.project.write("go", "")
      await untilRetrying(host, round)
      rmSync(files)
      expect(await statesOf(host, sns)).toEqual(["handled", "handled", "handled"])
    }
  })
})
