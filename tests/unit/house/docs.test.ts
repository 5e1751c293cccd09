import {existsSync, readdirSync, readFileSync} from "node:fs"
import {dirname, join, normalize} from "node:path"
import {Value} from "typebox/value"
import {describe, expect, test} from "vitest"
import {parse} from "yaml"
import {parseConfig} from "../../../server/config/load.ts"
import {configSchema} from "../../../server/config/schema.ts"
import {sha256Of} from "../../../server/runtime/files.ts"
import {type Document, readConfigs, readDocuments} from "../../support/docs/documents.ts"
import {root} from "../../support/host/runtimes.ts"
import {steps} from "./steps.ts"

const documents = readDocuments()

const textOf = (name: string): string => documents.find(({path}) => path === name)?.text ?? ""

const withoutFences = (text: string) => text.replace(/^```[\s\S]*?^```$/gm, "")

const linksOf = ({text}: Document): string[] =>
  [...withoutFences(text).matchAll(/\]\(([^)\s]+)\)|\bsrc(?:set)?="([^"]+)"/g)].map(
    ([, link, picture]) => link ?? picture ?? "",
  )

const anchorsOf = (markdown: string): string[] =>
  [...withoutFences(markdown).matchAll(/^#+ (.+)$/gm)].map(match =>
    (match[1] ?? "")
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  )

test("every link of the documentation leads to an existing file and heading", () => {
  const broken: string[] = []
  for (const document of documents) {
    for (const link of linksOf(document)) {
      if (/^[a-z]+:/.test(link)) continue
      const [path = "", anchor] = link.split("#")
      const target = path === "" ? document.path : normalize(join(dirname(document.path), path))
      const isThere = existsSync(join(root, target))
      const hasAnchor =
        anchor === undefined || (isThere && anchorsOf(readFileSync(join(root, target), "utf8")).includes(anchor))
      if (!isThere || !hasAnchor) broken.push(`${document.path}: ${link}`)
    }
  }
  expect(broken).toEqual([])
})

test("a page shows each picture of the documentation", () => {
  const shown = documents.flatMap(document =>
    linksOf(document).map(link => normalize(join(dirname(document.path), link))),
  )
  const pictures = readdirSync(join(root, "docs/images")).map(name => join("docs/images", name))
  expect(pictures.filter(picture => !shown.includes(picture))).toEqual([])
})

test("every page is reachable from the README", () => {
  const reached = new Set<string>()
  const visit = (path: string): void => {
    const document = documents.find(each => each.path === path)
    if (document === undefined || reached.has(path)) return
    reached.add(path)
    for (const link of linksOf(document)) visit(normalize(join(dirname(path), link.split("#")[0] ?? "")))
  }
  visit("README.md")
  expect(documents.map(({path}) => path).filter(path => !reached.has(path))).toEqual([])
})

test("the documentation names only existing files of the repository", () => {
  const missing = documents.flatMap(({path, text}) =>
    [...withoutFences(text).matchAll(/`((?:tests|server|shared|cli|scripts)\/[\w./-]+\.(?:ts|js|md))`/g)]
      .map(match => match[1] ?? "")
      .filter(file => !existsSync(join(root, file)))
      .map(file => `${path}: ${file}`),
  )
  expect(missing).toEqual([])
})

test("CONTRIBUTING numbers the folders as the architecture test does", () => {
  const rows = [...textOf("CONTRIBUTING.md").matchAll(/^\| (\d+) \| `([^`]+)` \|/gm)].map(([, step, folder]) => [
    Number(step),
    folder,
  ])
  expect(rows).toEqual(steps.flatMap((folders, step) => folders.map(folder => [step, folder])).slice(0, -1))
})

test("the glossary has at most 45 words, in the order of the alphabet", () => {
  const words = [...textOf("docs/glossary.md").matchAll(/^\| \[([^\]]+)\]/gm)].map(([, word = ""]) => word)
  expect(words).toEqual(words.toSorted((one, other) => one.localeCompare(other, "en")))
  expect(words.length).toSatisfy(count => count > 0 && count <= 45)
})

const decisions = documents.filter(({path}) => path.startsWith("docs/decisions/"))

test("the decisions have a line for each dependency", () => {
  const lines = textOf("docs/decisions/dependencies.md")
  const manifest: {dependencies: object; devDependencies: object} = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  )
  const names = Object.keys({...manifest.dependencies, ...manifest.devDependencies})
  expect(names.filter(name => !lines.includes(`\n- \`${name}\``))).toEqual([])
})

test("a decision has a reason of at most five lines", () => {
  const lines = decisions.flatMap(({text}) => text.split(/^## /m).slice(1)).map(entry => entry.trim().split("\n"))
  expect(lines.length).toBeGreaterThan(0)
  expect(lines.filter(({length}) => length < 2 || length > 6).map(([heading]) => heading)).toEqual([])
})

test("the decisions have at most 4,000 words together", () => {
  expect(decisions.flatMap(({text}) => text.split(/\s+/).filter(word => word !== "")).length).toBeLessThanOrEqual(4000)
})

const starter = {
  name: "the starter project",
  text: readFileSync(join(root, "cli/init/template/svc.config.yml"), "utf8"),
}

describe("the JSON Schema for editors", () => {
  const fits = (text: string) => Value.Check(configSchema(), parse(text))

  test.each([...readConfigs(), starter])("accepts $name", ({text}) => expect(fits(text)).toBe(true))

  test.each(["http:\n  prot: 1", "http:\n  token: literal", "http:\n  port: high", "log_level: loud"])(
    "rejects %j",
    text => expect(fits(text)).toBe(false),
  )
})

describe("configuration in the documentation is valid:", () => {
  test.each(readConfigs())("$name", ({text, variables}) => {
    expect(() => parseConfig({file: "svc.config.yml", text, sha256: sha256Of(text)}, variables)).not.toThrow()
  })
})
