import {mkdirSync, writeFileSync} from "node:fs"
import {isBuiltin} from "node:module"
import {basename} from "node:path"
import {build} from "esbuild"
import {nodeBundle, shipped} from "./bundles.ts"
import {findLayers} from "./layers.ts"
import {mergeChunks} from "./merge-chunks.ts"
import {narrow} from "./narrow.ts"
import {takeModules} from "./take-modules.ts"
import {keepUsedImports} from "./used-imports.ts"

/**
 * Bundles the shipped entries for Node into a folder. The first pass creates one chunk per set of entries that share it. The
 * second merges the chunks that a start loads, because linking them one by one takes Node a fifth of a start. Resolves to the
 * source files, relative to `root`. Rejects with compile errors.
 */
export const bundleForNode = async (root: string, outdir: string): Promise<readonly string[]> => {
  const {banner, ...options} = {...nodeBundle, absWorkingDir: root, outdir, write: false, logLevel: "warning"} as const
  const first = await build({...options, entryPoints: shipped, metafile: true})
  const textOf = (name: string) => first.outputFiles.find(({path}) => basename(path) === name)?.text ?? ""
  const chunks = new Map(
    Object.entries(first.metafile.outputs)
      .map(([path, {exports, entryPoint}]) => [basename(path), {exports, isEntry: entryPoint !== undefined}] as const)
      .filter(([name]) => name.endsWith(".js"))
      .map(([name, chunk]) => [name, {...chunk, text: textOf(name), licences: textOf(`${name}.LEGAL.txt`)}]),
  )
  const layers = findLayers(first.metafile, shipped, "node")
  const merged = new Set(layers.flatMap(layer => layer.chunks))
  const files = [
    ...layers.map(({name}) => name),
    ...[...chunks].filter(([name, {isEntry}]) => isEntry || !merged.has(name)).map(([name]) => name),
  ]
  const second = await build({
    ...options,
    splitting: false,
    entryPoints: files.map(name => `./${name}`),
    // The licences are in a file beside the chunks.
    legalComments: "none",
    banner,
    plugins: [mergeChunks(chunks, layers)],
  })

  mkdirSync(outdir, {recursive: true})
  for (const {path, text} of second.outputFiles) {
    const parts = layers.find(({name}) => name === basename(path))?.chunks ?? [basename(path)]
    const licences = parts.map(name => chunks.get(name)?.licences ?? "").join("")
    const note = licences === "" ? "" : `/*! For license information please see ${basename(path)}.LEGAL.txt */\n`
    writeFileSync(path, `${await narrow(takeModules(path, keepUsedImports(path, text), takeBuiltin))}${note}`)
    if (licences !== "") writeFileSync(`${path}.LEGAL.txt`, licences)
  }
  return Object.keys(first.metafile.inputs)
}

/** Avoids imports of builtins: for them Node reads each export of the module, and some exports load code that no Host needs. */
const takeBuiltin = (name: string): string | undefined =>
  isBuiltin(name) ? `process.getBuiltinModule(${JSON.stringify(name)})` : undefined
