import {readdirSync, readFileSync} from "node:fs"
import {expect, test} from "vitest"
import {exit} from "../../../shared/exit.ts"
import {bunAnd, startHost, svc} from "../../support/host/host.ts"
import {echoPlugin, handledAll, post, readLedger} from "../../support/messages/inbox-ledger.ts"

/** Replaces functions that other code writes files with, as a plugin's dependency might do before setup. */
const replacing = `import crypto from "node:crypto"
import {definePlugin} from "svc-runtime"

JSON.stringify = () => '"replaced"'
JSON.parse = () => ({replaced: true})
crypto.randomUUID = () => "replaced"
crypto.createHash = () => { throw new Error("replaced") }
crypto.hash = () => "replaced"

export default definePlugin({setup: plugin => plugin.log.info("replaced them: " + JSON.stringify(1))})
`

const config = (plugins: string) => `http: {port: 0}
workroom: {store: file}
plugins: ${plugins}
`

test.for(bunAnd("node22"))("on $name, a plugin that replaces JSON and crypto damages no file or row", async runtime => {
  const host = await startHost({
    own: true,
    runtime,
    config: config("{replacing: {}, sandbox: {}, echo: {}}"),
    plugins: {replacing, echo: echoPlugin},
  })
  const {project} = host
  expect(host.process.output()).toContain('replaced them: "replaced"')
  for (const id of ["one", "two"]) expect((await post(host, id, `the text of ${id}`)).status).toBe(202)
  await handledAll(host)
  await host.post("/api/workroom/items", {body: {title: "an item"}})
  project.write("svc.config.yml", config("{replacing: {}, sandbox: {}}"))
  // Node's compiler uses the global functions, so on Node the plugin does not compile again and nothing changes.
  await host.fetch("/api/system/reload", {method: "POST"})
  expect((await host.stop()).code).toBe(exit.ok)

  const files = readdirSync(project.path(".svc"), {recursive: true, encoding: "utf8"})
  const texts = files.filter(name => /\.(json|jsonl|segment)$|acknowledged$/.test(name))
  const isLog = (name: string) => name.startsWith("logs/")
  const textOf = (name: string) => readFileSync(project.path(".svc", name), "utf8")
  for (const name of texts.filter(name => !isLog(name))) expect(textOf(name), name).not.toContain("replaced")
  // The log does contain the word, because the plugin logs it.
  for (const line of texts.filter(isLog).flatMap(name => textOf(name).trim().split("\n")))
    expect(JSON.parse(line)).toMatchObject({time: expect.any(String), message: expect.any(String)})
  const ledger = await readLedger(project.path(".svc/data.sqlite"))
  expect([...ledger].map(([id, {copies, states, answers}]) => ({id, copies, states, answers}))).toEqual(
    ["one", "two"].map(id => ({id, copies: 1, states: "handled", answers: 1})),
  )

  project.write("svc.config.yml", config("{sandbox: {}, echo: {}}"))
  expect((await svc(runtime, project, ["workroom", "verify"])).stdout).toContain("sound")
  const next = await startHost({runtime, project})
  const {items} = await next.get("/api/outbox")
  expect(items.map(({text}) => text).sort()).toEqual(["echo the text of one", "echo the text of two"])
  expect(await next.get("/api/workroom/items")).toMatchObject({items: [{title: "an item"}]})
  const types = await next.get("/api/events/history")
  expect(types.items.every(({data}) => typeof data === "object")).toBe(true)
  expect(await next.say("still here")).toEqual(["echo still here"])
})
