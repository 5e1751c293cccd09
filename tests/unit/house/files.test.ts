import {execFileSync, spawnSync} from "node:child_process"
import {cpSync, existsSync, mkdirSync, readFileSync, writeFileSync} from "node:fs"
import {basename, join, matchesGlob} from "node:path"
import {expect, test} from "vitest"
import {makeFolder} from "../../support/database/databases.ts"
import {root} from "../../support/host/runtimes.ts"

const read = (path: string) => readFileSync(join(root, path), "utf8")

interface Section {
  readonly glob: string
  readonly rules: Readonly<Record<string, string>>
}

const sections: readonly Section[] = read(".editorconfig")
  .split(/^\[(?=.*\]$)/m)
  .slice(1)
  .map(text => {
    const [head = "", ...lines] = text.split("\n")
    const rules = lines.filter(line => !line.startsWith("#") && line.includes("=")).map(line => line.split(" = "))
    return {glob: head.slice(0, -1), rules: Object.fromEntries(rules)}
  })

/** The settings that an editor uses for a file: later sections override earlier ones. */
const rulesFor = (path: string): Section["rules"] =>
  Object.assign(
    {},
    ...sections.filter(({glob}) => glob === "*" || matchesGlob(basename(path), glob)).map(({rules}) => rules),
  )

const tracked = execFileSync("git", ["ls-files", "-z"], {cwd: root, encoding: "utf8"})
  .split("\0")
  .filter(path => path !== "" && existsSync(join(root, path)) && !/\.(png|lockb)$/.test(path))

test("every file follows .editorconfig", () => {
  const wrong = tracked.filter(path => {
    const text = read(path)
    const isIndented = rulesFor(path).indent_style === "tab" ? !/^ {2}/m.test(text) : !/^\t/m.test(text)
    return !isIndented || text.includes("\r") || /[ \t]$/m.test(text) || (text !== "" && !text.endsWith("\n"))
  })
  expect(wrong).toEqual([])
  expect(tracked.length).toBeGreaterThan(1000)
})

test(".editorconfig agrees with Biome", () => {
  const {formatter} = JSON.parse(read("biome.json")) as {formatter: Readonly<Record<string, unknown>>}
  for (const path of ["a.ts", "a.js", "a.json", "a.css", "a.svelte"]) {
    expect(rulesFor(path)).toMatchObject({
      indent_style: formatter.indentStyle,
      indent_size: String(formatter.indentWidth),
      max_line_length: String(formatter.lineWidth),
      end_of_line: "lf",
      insert_final_newline: "true",
    })
  }
  expect(rulesFor("a.md")).toMatchObject({indent_size: "2", max_line_length: "off"})
})

test("the linter refuses deadlines and readers that do not hold, in the product alone", () => {
  const cwd = makeFolder()
  const product = ["cli", "server", "shared"]
  const rules = ["deadlines", "unbounded"].map(name => `scripts/${name}.grit`)
  for (const file of ["biome.json", ...rules]) cpSync(join(root, file), join(cwd, file))
  const refused = [
    "const late = AbortSignal.timeout(1)",
    'export const socket = new WebSocket("ws://e.org")',
    ...["text", "json", "arrayBuffer", "blob", "bytes"].map(read => `void (await (await fetch("x")).${read}())`),
    "export const read = (answer: Response) => answer.text()",
  ]
  const text = [
    ...refused,
    "export const either = AbortSignal.any([late])",
    "export const taken = async (request: Request) => [await request.text(), await request.json()]",
    "export const whole = async (stream: Blob) => new Response(stream).arrayBuffer()",
  ]
  for (const folder of [...product, "server/console/web", "tests"]) {
    mkdirSync(join(cwd, folder), {recursive: true})
    writeFileSync(join(cwd, folder, "late.ts"), `${text.join("\n")}\n`)
  }
  const biome = join(root, "node_modules/.bin/biome")
  const options = ["lint", "--vcs-enabled=false", "--max-diagnostics=100", ...product, "tests"]
  const {stderr} = spawnSync(biome, options, {cwd, encoding: "utf8"})
  const found = [...new Set(stderr.match(/\S+\/late\.ts:\d+(?=:\d+ plugin)/g))].sort()
  const all = product.flatMap(folder => refused.map((_, index) => `${folder}/late.ts:${index + 1}`))
  expect(found).toEqual([...all, "server/console/web/late.ts:1"].sort())
})

test("the package has the licence of its LICENSE file, and names no repository", () => {
  const manifest = JSON.parse(read("package.json")) as Readonly<Record<string, unknown>>
  expect(manifest).toMatchObject({license: "MIT", keywords: expect.arrayContaining(["bot", "self-hosted"])})
  for (const field of ["repository", "homepage", "bugs", "author"]) expect(manifest).not.toHaveProperty(field)
  expect(read("LICENSE")).toMatch(/^MIT License\n\nCopyright \(c\) 2026 the svc authors\n/)
})
