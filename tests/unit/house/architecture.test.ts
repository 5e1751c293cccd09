import {readdirSync, readFileSync} from "node:fs"
import {dirname, join, relative} from "node:path"
import {expect, test} from "vitest"
import {root} from "../../support/host/runtimes.ts"
import {ranks} from "./ranks.ts"

/** What may be imported against the ranks, and why. */
const allowed: readonly (readonly [from: string, to: string])[] = [
  // Durable files and the process are one rank with the database, which is written with their help.
  ["server/database", "server/runtime"],
  // The shell of the readiness report gathers its facts from what it reports on; the report itself is pure.
  ["server/doctor", "server/process"],
]

/** Where the command line may enter: what is live goes over HTTP. */
const entrances = [
  "server/host",
  "server/doctor",
  "server/process",
  "server/recovery",
  "server/config",
  "server/runtime",
  "server/logs",
  "server/runtime/version.ts",
]

const sourceFiles = (): string[] =>
  ["shared", "server", "cli"]
    .flatMap(folder =>
      readdirSync(join(root, folder), {recursive: true, encoding: "utf8"}).map(file => join(folder, file)),
    )
    .filter(file => /\.(ts|js)$/.test(file) && !file.endsWith(".d.ts") && !file.includes("cli/init/template"))

/** The modules that a file imports, as paths in the repository or package names. */
const importsOf = (file: string): string[] => {
  const text = readFileSync(join(root, file), "utf8").replace(/\/\*[\s\S]*?\*\//g, "")
  const found = [
    ...text.matchAll(
      /(?:^|\s)(?:import|export)\b[^"'`;]*?\bfrom\s+"([^"]+)"|\bimport\s*\(\s*"([^"]+)"\s*\)|^import\s+"([^"]+)"/gm,
    ),
  ]
  return found
    .map(match => match[1] ?? match[2] ?? match[3] ?? "")
    .map(path => (path.startsWith(".") ? relative(root, join(root, dirname(file), path)) : path))
}

/** The part of the program that a file belongs to. */
const partOf = (file: string): string => {
  if (/^server\/(host[^/]*|once|testing[^/]*)\.ts$/.test(file)) return "server/host"
  if (file === "server/runtime/version.ts") return file
  const [top, second] = file.split("/")
  return top === "server" ? `server/${second}` : (top ?? "")
}

const isOwn = (path: string) => /^(shared|server|cli)\//.test(path)

test("a folder imports itself and lower ranks only", () => {
  const wrong: string[] = []
  for (const file of sourceFiles()) {
    const from = partOf(file)
    for (const path of importsOf(file).filter(isOwn)) {
      const to = partOf(path)
      if (from === to || from === "server/adapters" || to === "server/adapters") continue
      const [rank, other] = [ranks[from], ranks[to]]
      const isAllowed = allowed.some(([one, two]) => one === from && two === to)
      if (rank === undefined || other === undefined || (other >= rank && !isAllowed))
        wrong.push(`${file} imports ${path}`)
    }
  }
  expect(wrong).toEqual([])
})

test("adapters import the public SDK and their own library only, and only the host imports them", () => {
  const wrong: string[] = []
  for (const file of sourceFiles()) {
    const adapter = /^server\/adapters\/[^/]+\//.exec(file)?.[0]
    for (const path of importsOf(file).filter(isOwn)) {
      if (adapter !== undefined && !path.startsWith(adapter) && path !== "shared/sdk/sdk.ts")
        wrong.push(`${file} imports ${path}`)
      if (adapter === undefined && path.startsWith("server/adapters/") && file !== "server/host/built-in-plugins.ts")
        wrong.push(`${file} imports ${path}`)
    }
  }
  expect(wrong).toEqual([])
})

test("the command line enters through its entrances", () => {
  const wrong = sourceFiles()
    .filter(file => file.startsWith("cli/"))
    .flatMap(file =>
      importsOf(file)
        .filter(path => path.startsWith("server/") && !entrances.includes(partOf(path)))
        .map(path => `${file} imports ${path}`),
    )
  expect(wrong).toEqual([])
})

test("shared is pure: it imports typebox only", () => {
  const packages = sourceFiles()
    .filter(file => file.startsWith("shared/"))
    .flatMap(importsOf)
    .filter(path => !isOwn(path))
  expect(new Set(packages)).toEqual(new Set(["typebox"]))
})

test("Bun and node:http appear in server/runtime alone, Elysia in server/http/app.ts alone", () => {
  const wrong: string[] = []
  for (const file of sourceFiles()) {
    const text = readFileSync(join(root, file), "utf8")
    if (!file.startsWith("server/runtime/") && /\bBun\.|from "bun"|"node:https?"/.test(text)) wrong.push(file)
    if (file !== "server/http/app.ts" && /from "(elysia|@elysiajs\/node)"/.test(text)) wrong.push(file)
  }
  expect(wrong).toEqual([])
})
