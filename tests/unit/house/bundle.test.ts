import {readdirSync, readFileSync} from "node:fs"
import {join} from "node:path"
import {expect, test} from "vitest"
import {filesOf} from "../../../scripts/build/source-files.ts"
import {takeModules} from "../../../scripts/build/take-modules.ts"
import {keepUsedImports} from "../../../scripts/build/used-imports.ts"
import {readLoads} from "../../../scripts/plan/graph.ts"
import {root} from "../../support/host/runtimes.ts"

const take = (text: string) =>
  takeModules("x.js", text, name => (name.startsWith("node:") ? `take("${name}")` : undefined))

test("a bundle gets builtins by calls at its top, and imports everything else", () => {
  const taken = take(`import {one} from "./one.js"
import fs, {readFile, stat as look} from "node:fs"
import * as path from "node:path"
import {default as os} from "node:os"
import "node:http"
const template = \`
import {readFile} from "node:fs"
\`
export {one}
`)
  expect(taken.split("\n").filter(line => line !== "")).toEqual([
    'const fs = take("node:fs");',
    'const {readFile, stat: look} = take("node:fs");',
    'const path = take("node:path");',
    'const os = take("node:os");',
    'take("node:http");',
    'import {one} from "./one.js"',
    "const template = `",
    'import {readFile} from "node:fs"',
    "`",
    "export {one}",
  ])
  expect(take("export const one = 1\n")).toBe("export const one = 1\n")
})

test("a bundle imports from its other chunks only what it mentions, and still loads each", () => {
  const text = `import {one, two as mine, three as four} from "./a.js"
import {unused} from "./b.js"
import {other} from "node:fs"
import whole, {part} from "./c.js"
const template = \`
import {one, two} from "./a.js"
\`
export {mine}
`
  expect(keepUsedImports("x.js", text)).toBe(`import {one, two as mine} from "./a.js";
import "./b.js";
${text.slice(text.indexOf("import {other}"))}`)
})

test.each(["dist", "dist/bun"])("in %s, every imported name is used", folder => {
  const unused = readdirSync(`${root}${folder}`).flatMap(file => {
    if (!file.endsWith(".js")) return []
    const text = readFileSync(`${root}${folder}/${file}`, "utf8")
    const named = [...text.matchAll(/^import\{([^}]*)\}from"\.\/(?:layer|chunk)-/gm)].flatMap(([, names = ""]) =>
      names.split(","),
    )
    const words = Map.groupBy(text.match(/[\w$]+/g) ?? [], word => word)
    return named
      .filter(name => words.get(name.split(" as ").at(-1) ?? "")?.length === 1)
      .map(name => `${file}: ${name}`)
  })
  expect(unused).toEqual([])
})

test("no file of the bundles contains its build folder, so they run wherever they are installed", () => {
  const files = filesOf(`${root}dist`).filter(file => file.endsWith(".js"))
  expect(files.length).toBeGreaterThan(100)
  expect(files.filter(file => readFileSync(file, "utf8").includes(root.slice(0, -1)))).toEqual([])
})

/** The files that a file of the bundles loads before its code runs; paths in the repository. */
const loadedBy = (path: string, loaded = new Set<string>()): ReadonlySet<string> => {
  if (loaded.has(path)) return loaded
  loaded.add(path)
  for (const target of readLoads([path]).get(path) ?? []) if (target.startsWith("dist/")) loadedBy(target, loaded)
  return loaded
}

test.each(["dist", "dist/bun"])("in %s, the SDK and svc init load no tslog; the test SDK does", folder => {
  const holdsTslog = (entry: string) =>
    [...loadedBy(`${folder}/${entry}`)].some(path =>
      readFileSync(join(root, path), "utf8").includes("attachTransport("),
    )
  const inits = readdirSync(`${root}${folder}`).filter(name => /^init-.*\.js$/.test(name))
  expect(inits).not.toEqual([])
  expect(["sdk.js", "testing.js", ...inits].filter(holdsTslog)).toEqual(["testing.js"])
})

test("the bill of materials names each package whose licence ships, and each dependency", () => {
  const {components} = JSON.parse(readFileSync(`${root}dist/sbom.cdx.json`, "utf8"))
  const named = components.map(({name, version}: {name: string; version: string}) => `${name} ${version}`)
  const licences = readFileSync(`${root}dist/licences.txt`, "utf8").split(/^-{80}$/m)
  expect(named).toEqual(expect.arrayContaining(licences.slice(1).map(each => each.trim().split("\n")[0])))
  expect(named.filter((name: string) => /^(?:@libsql\/client|svelte|yaml) /.test(name))).toHaveLength(3)
})
