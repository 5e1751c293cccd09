import {mkdirSync, writeFileSync} from "node:fs"
import {isBuiltin} from "node:module"
import {basename} from "node:path"
import {build, type Metafile} from "esbuild"
import {bunBundle, shipped} from "./bundles.ts"
import {requireConstantExports} from "./constant-exports.ts"
import {findLayers} from "./layers.ts"
import {mergeChunks} from "./merge-chunks.ts"
import {narrow} from "./narrow.ts"
import {takeModules} from "./take-modules.ts"

/**
 * Bundles what ships for Bun into a folder, and has Bun compile what a start loads, which it need not do at each start
 * then. Rejects with what does not compile.
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
  const options = {
    bundle: true,
    format: "esm",
    target: "esnext",
    outdir,
    write: false,
    logLevel: "warning",
  } as const
  const plugins = [mergeChunks(chunks, layers)]

  mkdirSync(outdir, {recursive: true})
  const others = await build({...options, plugins, entryPoints: kept.map(name => `./${name}`)})
  for (const {path, text} of others.outputFiles) writeFileSync(path, `// @bun\n${await narrow(text)}`)
  const wholes = await build({
    ...options,
    plugins,
    entryPoints: layers.map(({name}) => `./${name}`),
    define: ofCommonJs,
  })
  for (const {path, text} of wholes.outputFiles) {
    requireConstantExports(path, text)
    await compile(path, text, outdir)
  }
}

/** What a module has, for the CommonJS that is made of it. */
const ofCommonJs = {
  "import.meta.require": "svcRequire",
  "import.meta.url": "svcUrl",
  "import.meta.dir": "svcDir",
}

/** Bun compiles CommonJS only. It would put the names of today's folders in the place of `__filename` and `__dirname`. */
const compile = async (path: string, text: string, outdir: string) => {
  const own =
    "const svcRequire = require, [, , , svcFile, svcDir] = arguments, svcUrl = Bun.pathToFileURL(svcFile).href;\n"
  await Bun.build({
    entrypoints: [path],
    files: {[path]: `${own}${takeModules(path, text, takeByRequire)}`},
    outdir,
    naming: "[name].[ext]",
    target: "bun",
    format: "cjs",
    bytecode: true,
    minify: {whitespace: true},
    packages: "external",
    external: ["./*"],
  })
}

/** What it takes of packages is what an import elsewhere takes: there are two of a package that is for `require` too. */
const takeByRequire = (name: string): string => {
  const asked = JSON.stringify(name)
  return isBuiltin(name) || name.startsWith(".") ? `require(${asked})` : `require(Bun.resolveSync(${asked}, svcDir))`
}
