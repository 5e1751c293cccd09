import {mkdirSync, writeFileSync} from "node:fs"
import {basename} from "node:path"
import {build, type Plugin} from "esbuild"
import {takeBuiltins} from "./builtins.ts"
import {nodeBundle, shipped} from "./bundles.ts"
import {findLayers, type Layer} from "./layers.ts"

/**
 * Bundles what ships for Node into a folder. The first pass gives a chunk for each set of entries that share it; the
 * second merges the chunks that a start loads, because Node takes a fifth of a start to link them one by one. Rejects
 * with what does not compile.
 */
export const bundleForNode = async (root: string, outdir: string): Promise<void> => {
  const {banner, ...options} = {...nodeBundle, absWorkingDir: root, outdir, write: false, logLevel: "warning"} as const
  const first = await build({...options, entryPoints: shipped, metafile: true})
  const textOf = (name: string) => first.outputFiles.find(({path}) => basename(path) === name)?.text ?? ""
  const chunks = new Map(
    Object.entries(first.metafile.outputs)
      .map(([path, {exports}]) => [basename(path), exports] as const)
      .filter(([name]) => name.endsWith(".js"))
      .map(([name, exports]) => [name, {exports, text: textOf(name), licences: textOf(`${name}.LEGAL.txt`)}]),
  )
  const layers = findLayers(first.metafile, shipped)
  const merged = new Set(layers.flatMap(layer => layer.chunks))
  const files = [...layers.map(({name}) => name), ...[...chunks.keys()].filter(name => !merged.has(name))]
  const second = await build({
    ...options,
    splitting: false,
    entryPoints: files.map(name => `./${name}`),
    // They stand beside the chunks.
    legalComments: "none",
    banner,
    plugins: [mergeChunks(chunks, layers)],
  })

  mkdirSync(outdir, {recursive: true})
  for (const {path, text} of second.outputFiles) {
    const parts = layers.find(({name}) => name === basename(path))?.chunks ?? [basename(path)]
    const licences = parts.map(name => chunks.get(name)?.licences ?? "").join("")
    const note = licences === "" ? "" : `/*! For license information please see ${basename(path)}.LEGAL.txt */\n`
    writeFileSync(path, `${takeBuiltins(path, text)}${note}`)
    if (licences !== "") writeFileSync(`${path}.LEGAL.txt`, licences)
  }
}

interface Chunk {
  readonly exports: readonly string[]
  readonly text: string
  /** What its packages ask to be kept beside it. */
  readonly licences: string
}

/** Reads chunks from memory. A layer is a module that exports what its chunks export, and stands for each of them. */
const mergeChunks = (chunks: ReadonlyMap<string, Chunk>, layers: readonly Layer[]): Plugin => {
  const layerOf = new Map(layers.flatMap(({name, chunks}) => chunks.map(chunk => [chunk, name] as const)))
  const indices = new Map([...chunks.keys()].map((name, index) => [name, index] as const))
  /** A layer's name for an export of a chunk: two of its chunks may export different things by one name. */
  const nameIn = (chunk: string) => (name: string) => `${name}_${indices.get(chunk)}`
  const exportsOf = (chunk: string, name: (name: string) => string) =>
    `{${chunks.get(chunk)?.exports.map(name).join(", ")}} from`

  return {
    name: "merge-chunks",
    setup: ({onResolve, onLoad}) => {
      onResolve({filter: /^\.\//}, ({kind, path, importer, namespace}) => {
        const name = path.slice(2)
        if (kind === "entry-point") return {path: name, namespace: chunks.has(name) ? "chunk" : "layer"}
        const layer = layerOf.get(name)
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
