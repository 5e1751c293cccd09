import {bunBundle, compiledForBun, shipped} from "./bundles.ts"

/** Where the bundle finds a package that is compiled beside it. */
const compiled = new Map<string, string>(
  Object.entries(compiledForBun).flatMap(([name, packages]) => packages.map(each => [each, `./${name}.js`])),
)

/** Bundles what ships for Bun into a folder. Rejects with what does not compile. */
export const bundleForBun = async (root: string, outdir: string): Promise<void> => {
  for (const [name, packages] of Object.entries(compiledForBun)) await compile(root, outdir, name, packages)
  await Bun.build({
    entrypoints: shipped.map(entry => `${root}${entry}`),
    outdir,
    ...bunBundle,
    plugins: [
      {
        name: "compiled",
        setup: build => {
          build.onResolve({filter: /^[^./]/}, ({path}) => {
            const beside = compiled.get(path)
            return beside === undefined ? undefined : {path: beside, external: true}
          })
        },
      },
    ],
  })
}

/** Bun compiles CommonJS only; what these packages export by name stays so. */
const compile = (root: string, outdir: string, name: string, packages: readonly string[]) => {
  const entry = `${root}${name}.js`
  return Bun.build({
    entrypoints: [entry],
    files: {[entry]: packages.map(each => `export * from ${JSON.stringify(each)}\n`).join("")},
    outdir,
    naming: bunBundle.naming.entry,
    target: bunBundle.target,
    external: bunBundle.external,
    format: "cjs",
    bytecode: true,
  })
}
