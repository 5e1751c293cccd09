import {readFileSync} from "node:fs"
import {join} from "node:path"
import {filesOf} from "../build/source-files.ts"
import {root} from "../root.ts"

const isGroup = (part: unknown): part is Readonly<Record<string, unknown>> =>
  typeof part === "object" && part !== null && !Array.isArray(part)

/** Returns the path of every text below a part of the table. */
const pathsOf = (part: unknown, path: string): readonly string[] =>
  isGroup(part) ? Object.entries(part).flatMap(([key, below]) => pathsOf(below, `${path}.${key}`)) : [path]

const groupsOf = (path: string) => Array.from(path.matchAll(/\./g), ({index}) => path.slice(0, index))

const definition = /\bconst (?:(\w+)|\{([\w,: ]+)\}) = (\w+(?:\.\w+)*)$/gm

/**
 * Returns the paths of the texts that a source reads; `cut` returns the part of a chain that is a path of the table. A
 * group that the source reads by a variable counts as a whole.
 */
const readsOf = (source: string, cut: (chain: string) => string | undefined): readonly string[] => {
  const names = new Map([["texts", "texts"]])
  const pathOf = (chain: string) => {
    const [base = "", ...keys] = chain.split(".")
    const start = names.get(base)
    return start === undefined ? undefined : cut([start, ...keys].join("."))
  }
  const rest = source.replace(definition, (all, name?: string, parts = "", chain = "") => {
    const path = pathOf(chain)
    if (path === undefined) return all
    if (name !== undefined) names.set(name, path)
    for (const [, key, as = key] of parts.matchAll(/(\w+)(?:: (\w+))?/g)) names.set(as, `${path}.${key}`)
    return ""
  })
  const reads = Array.from(rest.matchAll(/(?<![\w.]|typeof )\w+(?:\.\w+)*/g), ([chain]) => pathOf(chain) ?? "texts")
  return reads.filter(path => path !== "texts")
}

/** Returns the paths of the console's texts that nothing reads. */
export const unreadTexts = (table: object): readonly string[] => {
  const texts = new Set(pathsOf(table, "texts"))
  const groups = new Set([...texts].flatMap(groupsOf))
  /** `.length` may follow the name of a text. */
  const cut = (chain: string) => (groups.has(chain) ? chain : [chain, ...groupsOf(chain)].find(path => texts.has(path)))
  const sources = filesOf(join(root, "server/console/web")).filter(file => /\.(?:ts|svelte)$/.test(file))
  const reads = new Set(sources.flatMap(file => readsOf(readFileSync(file, "utf8"), cut)))
  return [...texts].filter(path => ![path, ...groupsOf(path)].some(each => reads.has(each)))
}
