import {createWriteStream, mkdirSync, readdirSync, readFileSync} from "node:fs"
import {join} from "node:path"
import {pipeline} from "node:stream/promises"
import {createGzip} from "node:zlib"
import {build} from "esbuild"
import {packTar, type TarSource} from "modern-tar/fs"
import {pluginBuild} from "../../server/runtime/engines/plugin-build.ts"

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

/** Packs the package of each ready plugin to `<target>/svc-plugin-<name>-<version>.tgz`. */
export const packReadyPlugins = async (root: string, target: string): Promise<void> => {
  mkdirSync(target, {recursive: true})
  for (const name of readyPlugins(root)) {
    const read = (file: string) => readFileSync(join(root, "plugins", name, file), "utf8")
    const {version} = JSON.parse(read("package.json")) as {version: string}
    const contents = {
      "package.json": read("package.json"),
      "README.md": read("README.md"),
      [`dist/plugins/${name}.js`]: await bundleOf(root, name),
    }
    const entries = Object.entries(contents).map(
      ([file, content]): TarSource => ({type: "content", content, target: `package/${file}`, mtime: new Date(0)}),
    )
    const file = join(target, `svc-plugin-${name}-${version}.tgz`)
    await pipeline(packTar(entries), createGzip({level: 9}), createWriteStream(file))
  }
}
