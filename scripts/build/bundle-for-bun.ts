import {mkdirSync, writeFileSync} from "node:fs"
import {basename} from "node:path"
import {build, type Metafile} from "esbuild"
import {bunBundle, shipped} from "./bundles.ts"
import {findLayers} from "./layers.ts"
import {mergeChunks} from "./merge-chunks.ts"
import {narrow} from "./narrow.ts"
import {keepUsedImports} from "./used-imports.ts"

/**
 * Bundles the shipped entries for Bun into a folder. Rejects with compile errors. Nothing is compiled ahead: Bun's bytecode
 * saves a third of a start, but only on the exact version of Bun that made it, and is as large as all else in the package.
 */
export const bundleForBun = async (root: string, outdir: string): Promise<void> => {
  const entrypoints = shipped.map(entry => `${root}${entry}`)
  const first = await Bun.build({entrypoints, ...bunBundle, metafile: true})
  const texts = await Promise.all(first.outputs.map(async each => [basename(each.path), await each.text()] as const))
  const scanner = new Bun.Transpiler({loader: "js"})
  const {outputs} = first.metafile as Metafile
  const chunks = new Map(
    texts.map(([name, text]) => {
      const isEntry = outputs[`./${name}`]?.entryPoint !== undefined
      return [name, {text, exports: scanner.scan(text).exports, isEntry}]
    }),
  )
  const layers = findLayers({inputs: {}, outputs}, shipped, "bun")
  const merged = new Set(layers.flatMap(layer => layer.chunks))
  const kept = [...chunks].filter(([name, {isEntry}]) => isEntry || !merged.has(name)).map(([name]) => name)
  const files = [...kept, ...layers.map(({name}) => name)]
  const second = await build({
    bundle: true,
    format: "esm",
    target: "esnext",
    outdir,
    write: false,
    logLevel: "warning",
    entryPoints: files.map(name => `./${name}`),
    plugins: [mergeChunks(chunks, layers)],
  })

  mkdirSync(outdir, {recursive: true})
  for (const {path, text} of second.outputFiles)
    writeFileSync(path, `// @bun\n${await narrow(keepUsedImports(path, text))}`)
}
