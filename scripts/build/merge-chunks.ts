import type {Plugin} from "esbuild"
import type {Layer} from "./layers.ts"

/** A file of a bundle with several entries. */
export interface Chunk {
  /** Whether it is imported by its name, so that a file of that name must exist. */
  readonly isEntry: boolean
  readonly exports: readonly string[]
  readonly text: string
}

/** Returns a plugin that reads chunks from memory. A layer is a module with all exports of its chunks, and replaces each. */
export const mergeChunks = (chunks: ReadonlyMap<string, Chunk>, layers: readonly Layer[]): Plugin => {
  const layerOf = new Map(layers.flatMap(({name, chunks}) => chunks.map(chunk => [chunk, name] as const)))
  const indices = new Map([...chunks.keys()].map((name, index) => [name, index] as const))
  /** Returns a layer's name for a chunk's export, because two chunks may export different values under one name. */
  const nameIn = (chunk: string) => (name: string) => `${name}_${indices.get(chunk)}`
  const exportsOf = (chunk: string, name: (name: string) => string) =>
    `{${chunks.get(chunk)?.exports.map(name).join(", ")}} from`
  const kindOf = (name: string) => (!chunks.has(name) ? "layer" : layerOf.has(name) ? "merged" : "chunk")

  return {
    name: "merge-chunks",
    setup: ({onResolve, onLoad}) => {
      onResolve({filter: /^[^.]/}, ({path}) => ({path, external: true}))
      onResolve({filter: /^\.\//}, ({kind, path, importer, namespace}) => {
        const name = path.slice(2)
        const layer = layerOf.get(name)
        if (kind === "entry-point") return {path: name, namespace: kindOf(name)}
        if (kind === "dynamic-import" || layer === undefined) return {path, external: true}
        const isWithin = layer === (namespace === "layer" ? importer : layerOf.get(importer))
        return {path: name, namespace: isWithin ? "chunk" : "merged"}
      })
      onLoad({filter: /./, namespace: "chunk"}, ({path}) => ({contents: chunks.get(path)?.text ?? ""}))
      onLoad({filter: /./, namespace: "layer"}, ({path}) => {
        const parts = layers.find(({name}) => name === path)?.chunks ?? []
        const name = (chunk: string) => (name: string) => `${name} as ${nameIn(chunk)(name)}`
        return {contents: parts.map(chunk => `export ${exportsOf(chunk, name(chunk))} "./${chunk}"\n`).join("")}
      })
      onLoad({filter: /./, namespace: "merged"}, ({path}) => {
        const name = (name: string) => `${nameIn(path)(name)} as ${name}`
        return {contents: `export ${exportsOf(path, name)} "./${layerOf.get(path)}"\n`}
      })
    },
  }
}
