import {mkdirSync, renameSync, rmSync} from "node:fs"
import {expect, test} from "vitest"
import {failureOf, generationOf, generationsOf, statusOf, whileSuspended} from "../../support/host/generation.ts"
import {makeProject, pluginWith, replying, startHost, until} from "../../support/host/host.ts"

const config = (plugins: string) => `http: {port: 0}
plugins:
  sandbox: {}
${plugins}`

const configured = pluginWith(
  `
    plugin.command("greet", () => config.word)`,
  `config: Type.Object({word: Type.String()})`,
)

/** As in the template. Otherwise Bun would put the values of .env into the real environment, which takes precedence. */
const readByTheHost = {"bunfig.toml": "env = false\n"}

test("a file that an editor replaces with a rename is reloaded", async () => {
  const {project, ...host} = await startHost({
    config: config("  greeter: {}\n"),
    plugins: {greeter: replying("greet", "1")},
  })
  for (const [n, path] of ["plugins/greeter.ts", "svc.config.yml"].entries()) {
    project.write("new", path.endsWith("yml") ? config("  greeter: {}\n# changed\n") : replying("greet", "2"))
    renameSync(project.path("new"), project.path(path))
    await generationOf({project, ...host}, n + 2)
  }
  expect(await host.say("/greet")).toEqual(["2"])
})

test("a changed variable of .env is reloaded if the configuration names it", async () => {
  const host = await startHost({
    config: config('  greeter: {config: {word: "${WORD}"}}\n'),
    plugins: {greeter: configured},
    files: {...readByTheHost, ".env": "WORD=hello\n"},
  })
  expect(await host.say("/greet")).toEqual(["hello"])
  host.project.write(".env", "WORD=good day\n")
  await generationOf(host, 2)
  expect(await host.say("/greet")).toEqual(["good day"])
  rmSync(host.project.path(".env"))
  expect((await failureOf(host)).issues).toEqual([
    "svc.config.yml:4:28 plugins.greeter.config.word: the environment variable WORD is not set",
  ])
  expect(await host.say("/greet")).toEqual(["good day"])
})

test("the environment's own .env file is watched too", async () => {
  const host = await startHost({
    own: true,
    config: config('  greeter: {config: {word: "${WORD:-none}"}}\n'),
    plugins: {greeter: configured},
    files: readByTheHost,
    args: ["--environment", "staging"],
  })
  expect(await host.say("/greet")).toEqual(["none"])
  host.project.write(".env.staging", "WORD=hello\n")
  await generationOf(host, 2)
  expect(await host.say("/greet")).toEqual(["hello"])
})

test("a plugin's file outside plugins/ and its imports are watched once they are in use", async () => {
  const host = await startHost({
    config: config("  greeter: {use: ./lib/greeter.ts}\n"),
    files: {
      "lib/greeter.ts": `import {word} from "../words/word.ts"\n${replying("greet", "x").replace('"x"', "word")}`,
      "words/word.ts": 'export const word = "hello"\n',
    },
  })
  expect(await host.say("/greet")).toEqual(["hello"])
  host.project.write("words/word.ts", 'export const word = "good day"\n')
  await generationOf(host, 2)
  expect(await host.say("/greet")).toEqual(["good day"])
})

test("a plugin that the configuration already names starts once its file is written", async () => {
  const host = await startHost({config: config("")})
  await whileSuspended(host, () => host.project.write("svc.config.yml", config("  greeter: {}\n")))
  expect(await failureOf(host)).toMatchObject({code: "plugin_missing"})
  mkdirSync(host.project.path("plugins"))
  host.project.write("plugins/greeter.ts", replying("greet", "hello"))
  await generationOf(host, 2)
  expect(await host.say("/greet")).toEqual(["hello"])
})

test("files saved close together make one generation, and a file of no plugin makes none", async () => {
  const host = await startHost({
    config: config("  one: {}\n  two: {}\n"),
    plugins: {one: replying("one", "1"), two: replying("two", "2")},
  })
  await whileSuspended(host, () => {
    host.project.write("plugins/one.ts", replying("one", "I"))
    host.project.write("plugins/two.ts", replying("two", "II"))
    host.project.write("plugins/notes.txt", "nothing")
  })
  await generationOf(host, 2)
  expect([...(await host.say("/one")), ...(await host.say("/two"))]).toEqual(["I", "II"])
  host.project.write("plugins/notes.txt", "nothing more")
  host.project.write("plugins/one.ts", replying("one", "i"))
  await generationOf(host, 3)
  expect(await generationsOf(host)).toHaveLength(3)
})

test("the report of a syntax error is cleared once it is corrected", async () => {
  const host = await startHost({config: config("  greeter: {}\n"), plugins: {greeter: replying("greet", "hello")}})
  host.project.write("plugins/greeter.ts", "export default {{\n")
  await failureOf(host)
  host.project.write("plugins/greeter.ts", replying("greet", "hello"))
  await until("the failure to be cleared", async () => (await statusOf(host)).lastFailure === null)
  expect((await statusOf(host)).generation.number).toBe(1)
  expect(await host.say("/greet")).toEqual(["hello"])
})

test("a file saved while the Host starts is reloaded once it runs", async () => {
  const slow = configured
    .replace("setup(", "async setup(")
    .replace("plugin.command(", 'note("set up"); await sleep(200); plugin.command(')
  const word = (text: string) => config(`  greeter: {config: {word: ${text}}}\n`)
  const project = makeProject({config: word("early"), plugins: {greeter: slow}})
  const starting = startHost({project})
  await until("setup to run", () => project.read("notes.log") !== "")
  project.write("svc.config.yml", word("late"))
  const host = await starting
  await generationOf(host, 2)
  expect(await host.say("/greet")).toEqual(["late"])
})
