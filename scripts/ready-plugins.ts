import {readdirSync} from "node:fs"
import {join} from "node:path"
import {build} from "esbuild"
import {pluginBuild} from "../server/runtime/engines/plugin-build.ts"

/** The workspaces of the ready plugins, sorted. */
export const readyPlugins = (root: string): readonly string[] =>
  readdirSync(join(root, "plugins"), {withFileTypes: true})
    .filter(entry => entry.isDirectory())
    .map(({name}) => name)
    .sort()

/** Returns the bundle of a ready plugin, as `svc build` makes it. It depends on nothing but the sources and the compiler. */
export const bundleOf = async (root: string, name: string): Promise<string> => {
  const built = await build({
    ...pluginBuild,
    entryPoints: [`plugins/${name}.ts`],
    absWorkingDir: join(root, "plugins", name),
    outdir: "dist/plugins",
    sourcemap: "inline",
  })
  return built.outputFiles[0]?.text ?? ""
}
