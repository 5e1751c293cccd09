import {readFileSync} from "node:fs"
import {join} from "node:path"
import {expect, test} from "vitest"
import {filesOf} from "../../../scripts/build/source-files.ts"
import {root} from "../../../scripts/root.ts"
import {en} from "../../../server/console/web/texts/en.ts"

const isGroup = (part: unknown): part is Readonly<Record<string, unknown>> =>
  typeof part === "object" && part !== null && !Array.isArray(part)

/** Returns the path of every text below a part of the table. */
const pathsOf = (part: unknown, path: string): readonly string[] =>
  isGroup(part) ? Object.entries(part).flatMap(([key, below]) => pathsOf(below, `${path}.${key}`)) : [path]

/** Follows names from a part of the table to a text, or as far as they go; undefined if they leave the table. */
const follow = (path: string, names: readonly string[]): string | undefined => {
  let part: unknown = path
    .split(".")
    .slice(1)
    .reduce<unknown>((group, key) => isGroup(group) && group[key], en)
  let reached = path
  for (const name of names) {
    if (!isGroup(part)) return reached
    if (!Object.hasOwn(part, name)) return undefined
    part = part[name]
    reached += `.${name}`
  }
  return reached
}

const definition = /\bconst (?:(\w+)|\{([\w,: ]+)\}) = (\w+)((?:\.\w+)*)$/gm

/** Returns the paths of the texts that a source reads. A group that it reads by a variable counts as a whole. */
const readsOf = (source: string): readonly string[] => {
  const names = new Map([["texts", "texts"]])
  const read = (chain: string, base = ""): string | undefined => {
    const start = names.get(base)
    return start === undefined ? undefined : follow(start, chain.split(".").slice(1))
  }
  const rest = source.replace(definition, (all, name?: string, parts = "", base?: string, chain = "") => {
    const path = read(chain, base)
    if (path === undefined) return all
    const named = name === undefined ? parts.split(",") : []
    if (name !== undefined) names.set(name, path)
    for (const [key = "", as = key] of named.map((part: string) => part.trim().split(": ")))
      names.set(as, `${path}.${key}`)
    return ""
  })
  const isType = (at: number) => /typeof $/.test(rest.slice(0, at))
  return Array.from(rest.matchAll(/(?<![\w.])(\w+)((?:\.\w+)*)/g)).flatMap(({1: base, 2: chain = "", index}) => {
    const path = isType(index) ? undefined : read(chain, base)
    return path === undefined || path === "texts" ? [] : [path]
  })
}

const web = join(root, "server/console/web")
const sources = filesOf(web)
  .filter(file => /\.(?:ts|svelte)$/.test(file))
  .map(file => readFileSync(file, "utf8"))

test("the console reads every text", () => {
  const reads = new Set(sources.flatMap(readsOf))
  const isRead = (path: string) =>
    path.split(".").some((_, index, parts) => reads.has(parts.slice(0, index + 1).join(".")))
  expect(pathsOf(en, "texts").filter(path => !isRead(path))).toEqual([])
})
