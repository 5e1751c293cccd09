import {createWriteStream, mkdirSync, readFileSync} from "node:fs"
import {join} from "node:path"
import {pipeline} from "node:stream/promises"
import {createGzip} from "node:zlib"
import {packTar, type TarSource} from "modern-tar/fs"
import {bundleOf, readyPlugins} from "../ready-plugins.ts"

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
