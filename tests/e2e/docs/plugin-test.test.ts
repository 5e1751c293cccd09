import {writeFileSync} from "node:fs"
import {join} from "node:path"
import {expect, test} from "vitest"
import {readDocuments} from "../../support/docs/documents.ts"
import {bunAnd, makeFolder, makeProject, onBun, onNode22, runProcess, runtimes} from "../../support/host/host.ts"

const guide = readDocuments().find(({path}) => path === "docs/test-a-plugin.md")

test.skipIf(onNode22 === undefined)("the guide's tests also run under node --test on Node 22.12", async () => {
  const files = Object.fromEntries((guide?.fences ?? []).flatMap(({file, text}) => (file === "" ? [] : [[file, text]])))
  expect(Object.keys(files)).toHaveLength(2)
  const project = makeProject({files})
  const flags = ["--experimental-transform-types", "--no-warnings", "--test"]
  const tested = await runProcess([onNode22?.command[0] ?? "", ...flags, "tests/die.test.ts"], {cwd: project.folder})
  expect({code: tested.code, output: tested.stdout}).toMatchObject({
    code: 0,
    output: expect.stringContaining("# fail 0"),
  })
  expect(tested.stdout).toMatch(/^# pass [1-9]/m)
})

const failing = `
import {definePlugin} from "svc-runtime"
import {plugin} from "svc-runtime/test"
import {readdirSync} from "node:fs"
import {tmpdir} from "node:os"

let undone = false
const bot = definePlugin({setup: plugin => plugin.defer(() => { undone = true })})
const thrown = await plugin.test(bot, () => { throw new Error("the test's own") }).catch(error => error.message)
const invalid = await plugin.test(bot, {config: {no: 1}}, () => {}).catch(error => error.issues[0].message)
const answer = await plugin.test(bot, async () => 42)
const users = {ada: "admin"}
const help = await plugin.test(bot, {users}, async bot => (await bot.say("/help", {user: "ada"})).length)
console.log(JSON.stringify({thrown, undone, invalid, answer, help, left: readdirSync(tmpdir()).filter(name => name.startsWith("svc-test-"))}))
`

test.each(runtimes)("plugin.test() passes on the function's errors and leaves nothing, on $name", async ({command}) => {
  const project = makeProject({files: {"try.mjs": failing}})
  const temporary = makeFolder()
  writeFileSync(join(temporary, "own"), "")
  const ran = await runProcess([command[0] ?? "", "try.mjs"], {cwd: project.folder, env: {TMPDIR: temporary}})
  expect({code: ran.code, stderr: ran.stderr}).toEqual({code: 0, stderr: ""})
  expect(JSON.parse(ran.stdout)).toEqual({
    thrown: "the test's own",
    undone: true,
    invalid: "unknown key",
    answer: 42,
    help: 1,
    left: [],
  })
})

const slow = `
import {test} from "node:test"
import "./kit.mjs"

test("takes longer than Bun lets a test take", () => new Promise(resolve => setTimeout(resolve, 5200)))
`

test("under bun test, a test that may start a Host gets more than five seconds in every file", async () => {
  const files = {"kit.mjs": 'export {plugin} from "svc-runtime/test"', "one.test.mjs": slow, "two.test.mjs": slow}
  const project = makeProject({files})
  const ran = await runProcess([onBun.command[0] ?? "", "test"], {cwd: project.folder})
  expect({code: ran.code, output: ran.stderr}).toMatchObject({code: 0, output: expect.stringContaining(" 2 pass")})
})

const upgrading = `
import {definePlugin} from "svc-runtime"
import {plugin, startBot} from "svc-runtime/test"

const first = {name: "first", up: table => ["CREATE TABLE " + table("all") + " (text TEXT, stars INTEGER)"]}
const noStars = {name: "no-stars", irreversible: "the stars are dropped", up: table => ["ALTER TABLE " + table("all") + " DROP COLUMN stars"]}
const wrong = {name: "wrong", undo: "nothing", up: () => ["CREATE NONSENSE"]}
const notes = (...migrations) => definePlugin({
  setup({database, command}) {
    database.migrate(migrations)
    command("note <text:text>", async ({args}) => {
      await database.write([{sql: "INSERT INTO " + database.table("all") + " (text) VALUES (?)", args: [args.text]}])
      return JSON.stringify(await database.read("SELECT * FROM " + database.table("all")))
    })
  },
})
const lines = []
await plugin.test(notes(first), {log: line => lines.push(line)}, async bot => {
  const said = [await bot.say("/note one")]
  const refused = await bot.upgrade(notes(first, wrong)).catch(error => error.message)
  said.push(await bot.say("/note two"))
  await bot.upgrade(notes(first, noStars))
  said.push(await bot.say("/note three"))
  const older = await bot.upgrade(notes(first)).catch(error => error.code)
  const unknown = await bot.upgrade(notes(first), {plugin: "other"}).catch(error => error.code)
  const saved = lines.some(line => line.includes("the Host makes and verifies a checkpoint first"))
  console.log(JSON.stringify({said: said.flat().map(text => JSON.parse(text)), refused, older, unknown, saved}))
})
`

test.each(bunAnd("node24"))(
  "bot.upgrade() puts another version over existing data, or rejects and keeps it, on $name",
  async ({command}) => {
    const project = makeProject({files: {"try.mjs": upgrading}})
    const ran = await runProcess([command[0] ?? "", "try.mjs"], {cwd: project.folder})
    expect({code: ran.code, stderr: ran.stderr}).toEqual({code: 0, stderr: ""})
    const starred = (text: string) => ({text, stars: null})
    expect(JSON.parse(ran.stdout)).toEqual({
      said: [[starred("one")], [starred("one"), starred("two")], [{text: "one"}, {text: "two"}, {text: "three"}]],
      refused: expect.stringContaining("migration wrong of plugin plugin failed"),
      older: "plugin_newer",
      unknown: "plugin_missing",
      saved: true,
    })
  },
)
