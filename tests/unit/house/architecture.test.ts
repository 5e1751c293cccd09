import {readdirSync, readFileSync} from "node:fs"
import {basename, dirname, join} from "node:path"
import {expect, test} from "vitest"
import {figures, groupByFolder} from "../../../scripts/plan/figures.ts"
import {circlesOf, readImports, readLoads, roomOf, sourceFiles} from "../../../scripts/plan/graph.ts"
import {type FigureName, judge, limits} from "../../../scripts/plan/limits.ts"
import {readTables} from "../../../scripts/plan/tables.ts"
import {root} from "../../support/host/runtimes.ts"
import {steps} from "./steps.ts"

/** The folders that the command line may import. It reaches a running Host over HTTP. */
const entrances: readonly string[] = [
  "server/host",
  "server/project",
  "server/doctor",
  "server/process",
  "server/recovery",
  "server/config",
  // Every process of svc needs it, with or without a Host: the project's paths, its lock, signals, the log.
  "server/runtime",
]

/** Libraries that are loaded by the command, endpoint or request that needs them. */
const atFirstUse: ReadonlySet<string> = new Set(
  `crossws/adapters/node esbuild eventsource-parser intl-messageformat
  irc-framework modern-tar modern-tar/fs node:zlib re2js srvx/node string-width ws`.split(/\s+/),
)

const files = sourceFiles()
const imports = readImports(files)
const testImports = readImports(sourceFiles(["tests"]))
const stepOf = (room: string) => steps.findIndex(step => step.includes(room))

const wrongImports = (isWrong: (file: string, target: string) => boolean): readonly string[] =>
  [...imports].flatMap(([file, targets]) =>
    targets.filter(target => imports.has(target) && isWrong(file, target)).map(target => `${file} imports ${target}`),
  )

/** An adapter built on the parts of another one: both speak Satori, one over a socket, one in the process. */
const builtOn: Readonly<Record<string, string>> = {"server/adapters/satori-bridge": "server/adapters/satori"}

const adapterOf = (file: string): string | undefined => {
  const [top, second, adapter] = file.split("/")
  return top === "server" && second === "adapters" ? `server/adapters/${adapter}` : undefined
}

test("every room has a rank, and imports only itself and lower ones", () => {
  const rooms = [...new Set(files.map(roomOf))].filter(room => room !== "server/adapters").sort()
  expect(steps.flat().sort()).toEqual(rooms)
  const isWrong = (file: string, target: string) => {
    const [from, to] = [roomOf(file), roomOf(target)]
    const isAdapters = from === "server/adapters" || to === "server/adapters"
    return from !== to && !isAdapters && stepOf(to) >= stepOf(from)
  }
  expect(wrongImports(isWrong)).toEqual([])
})

test.for(Object.keys(limits) as FigureName[])("the program stays within its budget: %s", (name, context) => {
  const figure = figures[name].count(imports)
  if (figure === undefined && process.env.SVC_TEST_REQUIRE_TOOLS !== "1") return context.skip("needs bun run build")
  const advice = "lower it again, lower another figure, or raise the limit in a commit that says why"
  expect(figure, advice).toBeLessThanOrEqual(limits[name].limit)
  expect(figure).toBeGreaterThan(limits[name].limit === 0 ? -1 : 0)
})

test("the plan says what is over its limit, and which limit can fall", () => {
  const {limit} = limits.commands
  expect(judge("commands", limit)).toEqual({over: 0, lower: undefined})
  expect(judge("commands", limit + 3)).toEqual({over: 3, lower: undefined})
  expect(judge("commands", limit - 1)).toEqual({over: 0, lower: limit - 1})
  const lines = limits.core.limit
  expect(judge("core", Math.ceil(lines * 0.98))).toEqual({over: 0, lower: undefined})
  expect(judge("core", Math.floor(lines * 0.97))).toEqual({over: 0, lower: Math.floor(lines * 0.97)})
})

test("no files import each other in a circle", () => {
  expect([...circlesOf(imports), ...circlesOf(testImports)]).toEqual([])
})

test("SQL on a table stands in the room that declares it", () => {
  expect(readTables().filter(({owner, strangers}) => owner === undefined || strangers.length > 0)).toEqual([])
})

test("a folder holds at most twenty files", () => {
  const crowded = [...groupByFolder(imports)].filter(([, own]) => own.length > limits.files.limit)
  expect(crowded.map(([folder, own]) => `${folder} has ${own.length} files`)).toEqual([])
})

test("adapters import only the public SDK and their own library, and one file of the Host imports them", () => {
  const isWrong = (file: string, target: string) => {
    const [from, to] = [adapterOf(file), adapterOf(target)]
    if (from === undefined) return to !== undefined && file !== "server/host/plugins/built-in-plugins.ts"
    return to !== from && target !== "shared/sdk/sdk.ts" && to !== (builtOn[from] ?? from)
  }
  expect(wrongImports(isWrong)).toEqual([])
})

test("the command line enters through its entrances", () => {
  const isWrong = (file: string, target: string) =>
    roomOf(file) === "cli" && target.startsWith("server/") && !entrances.includes(roomOf(target))
  expect(wrongImports(isWrong)).toEqual([])
})

test("cli/ holds commands, each at the path of its words or with its group's; shared code is in cli/kit/", () => {
  const modules = [...readFileSync("cli/commands.ts", "utf8").matchAll(/^ {2}"?([\w-]+)([\w -]*)"?:[^"]+"\.(\/.+)"/gm)]
  const rows = modules.flatMap(([, group, names = "", file = ""]) =>
    names.split(/(?= )/).map(name => ({words: `${group}${name}`, file})),
  )
  for (const {words, file} of rows.filter(({words, file}) => file !== `/${words.replace(" ", "/")}.ts`))
    expect(`${words} ${readFileSync(`cli${file}`, "utf8")}`).toMatch(
      new RegExp(`^${file.split("/")[1]} (.+) [^]*export const \\1 =`),
    )
  const others = files.filter(
    file => roomOf(file) === "cli" && !file.startsWith("cli/kit/") && !rows.some(row => `cli${row.file}` === file),
  )
  expect(others).toEqual(["cli/commands.ts", "cli/launch.js", "cli/svc.ts"])
})

test("a Host loads no library at startup that it may never need", () => {
  const loaded = new Set([
    "cli/svc.ts",
    "cli/runtime/start.ts",
    "server/runtime/engines/bun.ts",
    "server/runtime/engines/node.ts",
  ])
  for (const file of loaded)
    if (imports.has(file)) for (const target of readLoads([file]).get(file) ?? []) loaded.add(target)
  expect([...loaded]).toEqual(expect.arrayContaining(["server/host/start.ts", "clipanion", "croner"]))
  expect([...loaded].filter(name => atFirstUse.has(name))).toEqual([])
})

test("shared is pure: it imports typebox only", () => {
  const packages = [...imports].flatMap(([file, targets]) =>
    roomOf(file) === "shared" ? targets.filter(target => !imports.has(target)) : [],
  )
  expect(new Set(packages)).toEqual(new Set(["typebox"]))
})

test("Bun and node:http appear in server/runtime and protocol fakes only, Elysia in server/http/app.ts only", () => {
  const wrong = files.filter(file => {
    if (roomOf(file) === "scripts") return false
    const packages = imports.get(file) ?? []
    // A protocol fake breaks connections, which needs the server itself.
    const isOutside = roomOf(file) !== "server/runtime" && !file.startsWith("server/testing/platforms/")
    const servesItself = packages.some(name => name === "bun" || name === "node:http" || name === "node:https")
    const namesBun = /\bBun\./.test(readFileSync(join(root, file), "utf8"))
    const isElysia = packages.some(name => name === "elysia" || name === "@elysiajs/node")
    return (isOutside && (servesItself || namesBun)) || (isElysia && file !== "server/http/app.ts")
  })
  expect(wrong).toEqual([])
})

test("stored data is written and read by functions that no plugin can replace", () => {
  // These store nothing, or run without plugins.
  const free = ["adapters", "console", "doctor", "process", "testing"].map(name => `server/${name}`)
  const wrong = files.filter(
    file =>
      file.startsWith("server/") &&
      !free.includes(roomOf(file)) &&
      /\bJSON\.(stringify|parse)\(/.test(readFileSync(join(root, file), "utf8")),
  )
  expect(wrong, "take toJson and fromJson of shared/json.ts").toEqual([])
})

test("server/ has no loose file, and no file has a generic name such as utils", () => {
  const loose = files.filter(file => dirname(file) === "server")
  const vague = files.filter(file => /^(utils?|helpers?|misc|common|index)\.ts$/.test(basename(file)))
  expect([...loose, ...vague.filter(file => adapterOf(file) === undefined)]).toEqual([])
})

const libraries = ["@elysiajs/node", "@libsql/client", "clipanion", "elysia", "tslog", "typebox", "yaml"]

test.each(libraries)("the program imports %s", library => {
  const program = [...imports].filter(([file]) => roomOf(file) !== "scripts")
  const importers = program.filter(([, targets]) => targets.some(each => `${each}/`.startsWith(`${library}/`)))
  expect(importers.map(([file]) => file)).not.toEqual([])
})

test("the tests run on vitest", () => {
  expect(readImports(["vitest.config.ts"]).get("vitest.config.ts")).toContain("vitest/config")
  expect([...testImports.values()].flat()).toContain("vitest")
})

test("the top of the repository has its folders and files", () => {
  const expected = ["package.json", "bun.lockb", "tsconfig.json", "server", "cli", "shared", "container", "tests"]
  expect(readdirSync(root)).toEqual(expect.arrayContaining(expected))
})
