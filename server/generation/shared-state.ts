import {relative} from "node:path"
import {readFileIfExists} from "../runtime/files.ts"
import type {LoadedPlugin} from "./plugins/load.ts"

/** Values that usually do not change, and collections created with their content. */
const constants = "(?:RegExp|URL|URLPattern|Date|TextEncoder|TextDecoder|Intl\\.\\w+)\\b|(?:Map|Set)\\b[^(\\n]*\\([^)]"

/** Declarations at the left margin: at the top level of a module in the usual formatting. */
const variable = /^(?:export\s+)?(?:let|var)\s+(?<name>[\w$]+)/gm
const holder = new RegExp(
  `^(?:export\\s+)?const\\s+(?<name>[\\w$]+)[^=\\n]*=\\s*(?:new\\s+(?!${constants})|\\[\\s*\\]|\\{\\s*\\})`,
  "gm",
)

/** Returns the top-level variables of a module that hold state, as far as its text shows. */
export const stateIn = (source: string): readonly string[] =>
  [variable, holder].flatMap(pattern => [...source.matchAll(pattern)].flatMap(({groups}) => groups?.name ?? []))

/**
 * Notes for people about files of the project with state of which several plugins each have a copy, because each plugin
 * is a separate bundle. Instances of one plugin do not count, nor do packages and unreadable files.
 */
export const findSharedState = async (
  project: string,
  plugins: readonly (Pick<LoadedPlugin, "from" | "files"> & {readonly name: string})[],
): Promise<readonly string[]> => {
  const users = new Map<string, Map<string, string>>()
  for (const {name, from, files} of plugins) {
    for (const file of files) {
      const path = relative(project, file)
      if (path.startsWith("..") || path.includes("node_modules/")) continue
      users.set(path, (users.get(path) ?? new Map<string, string>()).set(from, name))
    }
  }
  const shared = [...users].filter(([, by]) => by.size > 1).sort(([one], [other]) => (one < other ? -1 : 1))
  const notes = await Promise.all(
    shared.map(async ([path, by]) => {
      const state = stateIn((await readFileIfExists(`${project}/${path}`)) ?? "")
      return state.length === 0 ? [] : [describe(path, state, [...by.values()].sort())]
    }),
  )
  return notes.flat()
}

const describe = (path: string, state: readonly string[], by: readonly string[]): string =>
  `${path} keeps state in ${state.join(", ")}, and the plugins ${by.slice(0, -1).join(", ")} and ${by.at(-1)} each have a copy of it: ` +
  "let one plugin keep the state and provide a service"
