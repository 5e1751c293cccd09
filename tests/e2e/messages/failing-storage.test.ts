import {rmSync} from "node:fs"
import {join} from "node:path"
import {expect, test} from "vitest"
import {scratchFolder} from "../../support/database/databases.ts"
import {startHrana} from "../../support/database/hrana-server.ts"
import {startHost, type TestHost} from "../../support/host/host.ts"
import {until, untilPrinted} from "../../support/host/process.ts"
import {runtimes} from "../../support/host/runtimes.ts"
import {freePort} from "../../support/machine/ports.ts"
import {pluginWith} from "../../support/plugins/plugin-sources.ts"

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

const say = async (host: TestHost, commands: readonly string[]) => {
  const sns = await Promise.all(
    commands.map(async (text, n) => {
      const {sn} = await host.post<{sn: number}>("/api/plugins/sandbox/messages", {text, channel: `c${n}`})
      return sn
    }),
  )
  await until("the handlers to begin", () => host.project.read("notes.log").split("\n").length > commands.length)
  return sns
}

const statesOf = async (host: TestHost, sns: readonly number[]) =>
  until("the handlers to end", async () => {
    const events = await Promise.all(sns.map(sn => host.get<{marks: {state: string}[]}>(`/api/inbox/${sn}`)))
    const states = events.flatMap(({marks}) => marks.map(({state}) => state))
    return !states.some(state => state === "pending" || state === "running") && states
  })

test.each(runtimes)("handlers wait for a remote database that is cut off, on $name", async runtime => {
  const place = {file: join(scratchFolder(), "remote.sqlite"), port: await freePort()}
  const server = await startHrana(place)
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
  const sns = await say(host, ["/read", "/read", "/write", "/wrong"])
  await server.close()
  host.project.write("go", "")
  await untilPrinted(host.process, "retrying")
  await startHrana(place)
  expect(await statesOf(host, sns)).toEqual(["handled", "handled", "handled", "failed"])
})

test.each(runtimes)("handlers wait while no file can be stored, on $name", async runtime => {
  const config = "http: {port: 0}\nplugins: {sandbox: {}, keeper: {}}\n"
  const host = await startHost({own: true, runtime, config, plugins: {keeper}, args: ["--no-watch"]})
  const sns = await say(host, ["/file", "/file", "/read"])
  host.project.write("data/files", "in the way")
  host.project.write("go", "")
  await untilPrinted(host.process, "retrying")
  rmSync(join(host.project.folder, "data/files"))
  expect(await statesOf(host, sns)).toEqual(["handled", "handled", "handled"])
})
