import type {Plugin} from "esbuild"
import type {Layer} from "./layers.ts"

/** A file of a bundle that was made by entries. */
export interface Chunk {
  /** It is imported by its name, so there is a file of that name. */
  readonly isEntry: boolean
  readonly exports: readonly string[]
  readonly text: string
}

/** Reads chunks from memory. A layer is a module that exports what its chunks export, and stands for each of them. */
export const mergeChunks = (chunks: ReadonlyMap<string, Chunk>, layers: readonly Layer[]): Plugin => {
  const layerOf = new Map(layers.flatMap(({name, chunks}) => chunks.map(chunk => [chunk, name] as const)))
  const indices = new Map([...chunks.keys()].map((name, index) => [name, index] as const))
  /** A layer's name for an export of a chunk: two of its chunks may export different things by one name. */
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
