import {mkdirSync, writeFileSync} from "node:fs"
import {isBuiltin} from "node:module"
import {basename} from "node:path"
import {build, type Metafile} from "esbuild"
import {bunBundle, shipped} from "./bundles.ts"
import {exportConstants} from "./constant-exports.ts"
import {findLayers} from "./layers.ts"
import {mergeChunks} from "./merge-chunks.ts"
import {narrow} from "./narrow.ts"
import {takeModules} from "./take-modules.ts"
import {keepUsedImports} from "./used-imports.ts"

/**
 * Bundles the shipped entries for Bun into a folder, and compiles the modules of a start ahead, so that Bun need not do it
 * at each start. Rejects with compile errors.
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
  for (const {path, text} of others.outputFiles)
    writeFileSync(path, `// @bun\n${await narrow(keepUsedImports(path, text))}`)
  const wholes = await build({
    ...options,
    plugins,
    entryPoints: layers.map(({name}) => `./${name}`),
    define: ofCommonJs,
  })
  for (const {path, text} of wholes.outputFiles) {
    await compile(path, exportConstants(path, keepUsedImports(path, text)), outdir)
  }
}

/** The replacements for a module's `import.meta` in CommonJS. */
const ofCommonJs = {
  "import.meta.require": "svcRequire",
  "import.meta.url": "svcUrl",
  "import.meta.dir": "svcDir",
}

/** Compiles a module as CommonJS, the only kind that Bun compiles. Bun would replace `__filename` and `__dirname` by the build's paths. */
const compile = async (path: string, text: string, outdir: string) => {
  // A module may have its own variable `module`.
  const own =
    "const svcRequire = require, [, , svcModule, svcFile, svcDir] = arguments, svcUrl = Bun.pathToFileURL(svcFile).href;\n"
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

/** Returns the call for a module. It resolves packages like an import: some packages have another module for `require`. */
const takeByRequire = (name: string): string => {
  const asked = JSON.stringify(name)
  return isBuiltin(name) || name.startsWith(".") ? `require(${asked})` : `require(Bun.resolveSync(${asked}, svcDir))`
}
