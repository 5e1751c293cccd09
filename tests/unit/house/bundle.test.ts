import {readdirSync, readFileSync} from "node:fs"
import {join} from "node:path"
import {expect, test} from "vitest"
import {requireConstantExports} from "../../../scripts/build/constant-exports.ts"
import {filesOf} from "../../../scripts/build/source-files.ts"
import {takeModules} from "../../../scripts/build/take-modules.ts"
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

test.each([
  "let a = 1; const f = () => { a++ }; export {a as b, f}",
  "var a; a = 1; export {a}",
  "let a = 1; --a; export {a}",
])("a bundle for Bun with a changing export is refused: %s", text => {
  expect(() => requireConstantExports("x.js", text)).toThrow("x.js exports a and assigns to it")
})

test("other changing variables are allowed", () => {
  expect(() => requireConstantExports("x.js", "const a = 1; let b = 0; b = a; export {a}")).not.toThrow()
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
