import {createHash} from "node:crypto"
import {basename} from "node:path"
import type {Metafile} from "esbuild"

/** A group of chunks that a program loads all together or not at all. It becomes one file. */
export interface Layer {
  /** The name of its file. */
  readonly name: string
  /** The names of the chunks' files. */
  readonly chunks: readonly string[]
}

/** The entries that load nearly everything: a Host, and the test SDK, which starts one. */
const host = ["cli/runtime/start.ts", "server/testing/testing.ts"]

/** The entries that every Host loads later, each separately. */
const afterwards = {
  node: ["server/runtime/engines/node.ts", "server/runtime/sockets/fetch-on-node.ts", "server/host/application.ts"],
  bun: ["server/runtime/engines/bun.ts", "server/host/application.ts"],
} as const

type Outputs = Metafile["outputs"]

/**
 * Groups the chunks of a Host by the time when it loads them, and by the other programs that load them: programs that open
 * the database, other commands, and each other entry. The remaining chunks stay as they are.
 */
export const findLayers = (
  {outputs}: Metafile,
  entries: readonly string[],
  runtime: keyof typeof afterwards,
): readonly Layer[] => {
  const commands = Object.values(outputs)
    .map(({entryPoint = ""}) => entryPoint)
    .filter(entry => /^cli\/(?!kit\/|svc\.ts)/.test(entry))
  const offline = [...commands, ...entries].filter(
    entry => !host.includes(entry) && loads(outputs, entry, "server/database/database.ts"),
  )
  const isOther = (entry: string) => !host.includes(entry) && !offline.includes(entry)
  const loadedByAny = (program: readonly string[]) => new Set(program.flatMap(entry => [...loadedBy(outputs, entry)]))
  const byHost = loadedByAny(host)
  const programs = [offline, commands.filter(isOther), ...entries.filter(isOther).map(entry => [entry])].map(
    loadedByAny,
  )
  const later = afterwards[runtime].map(entry => loadedByAny([entry]))
  const keyOf = (file: string) =>
    [byHost, ...programs, ...(byHost.has(file) ? [] : later)].map(files => (files.has(file) ? "1" : "0")).join("")
  const groups = Map.groupBy(loadedByAny(["cli/runtime/start.ts", ...afterwards[runtime]]), keyOf)
  return [...groups.values()].map(files => ({name: nameOf(files), chunks: files.map(file => basename(file))}))
}

/** Returns the name of a layer, from the names of its chunks, which are hashes of their content. */
const nameOf = (files: readonly string[]): string =>
  `layer-${createHash("sha256").update(files.toSorted().join()).digest("hex").slice(0, 8).toUpperCase()}.js`

/** Returns the chunks that an entry loads, without its dynamic imports. */
const loadedBy = (outputs: Outputs, entry: string): ReadonlySet<string> => {
  const found = Object.entries(outputs).find(([, {entryPoint}]) => entryPoint === entry)
  if (found === undefined) throw new Error(`there is no bundle of ${entry}`)
  const loaded = new Set<string>()
  const load = (file: string) => {
    if (loaded.has(file)) return
    loaded.add(file)
    for (const {kind, path} of outputs[file]?.imports ?? []) {
      if (kind === "import-statement" && outputs[path] !== undefined) load(path)
    }
  }
  load(found[0])
  return loaded
}

const loads = (outputs: Outputs, entry: string, source: string): boolean =>
  [...loadedBy(outputs, entry)].some(file => Object.hasOwn(outputs[file]?.inputs ?? {}, source))
