import {copyFile, mkdir, readdir, readFile} from "node:fs/promises"
import {basename, join} from "node:path"
import {promisify} from "node:util"
import {gunzip} from "node:zlib"
import {fromJson} from "../../shared/json.ts"
import {messageOf, Problem} from "../../shared/problems.ts"
import {isThere} from "../runtime/files.ts"
import {packageRoot} from "../runtime/own-files.ts"

/** A project's folder of packages that come from no registry. */
const vendor = "vendor"

/** Returns the file's name that `npm pack` gives to a package, such as `team-svc-plugin-dice-1.0.0.tgz`. */
const tarballName = (name: string, version: string): string =>
  `${name.replace(/^@/, "").replace("/", "-")}-${version}.tgz`

/** Returns what a package manager installs for a package: its tarball in the project's `vendor/` if there is one. */
export const vendored = async (project: string, name: string, version: string): Promise<string> => {
  const file = `${vendor}/${tarballName(name, version)}`
  return `${name}@${(await isThere(join(project, file))) ? `file:${file}` : version}`
}

/** The folder in which the build packs the ready plugins. */
const readyFolder = join(packageRoot, "dist/plugins")

const readyFiles = async (): Promise<ReadonlyMap<string, string>> => {
  const files = await readdir(readyFolder).catch((): string[] => [])
  return new Map(
    files.flatMap(file => {
      const name = /^svc-plugin-([a-z0-9-]+?)-\d+\.\d+\.\d+.*\.tgz$/.exec(file)?.[1]
      return name === undefined ? [] : [[name, join(readyFolder, file)] as const]
    }),
  )
}

/** Resolves to the names of the plugins that come with svc, sorted. */
export const readyPlugins = async (): Promise<readonly string[]> => [...(await readyFiles()).keys()].sort()

/**
 * Resolves to a package's tarball: that of a wanted version in the project's `vendor/`, or the newest there if none is wanted,
 * else that of a ready plugin; undefined if there is none.
 */
export const findTarball = async (project: string, name: string, version: string): Promise<string | undefined> => {
  const isAny = version === "latest"
  const start = tarballName(name, isAny ? "" : version).replace(/\.tgz$/, "")
  const own = (await readdir(join(project, vendor)).catch((): string[] => []))
    .filter(
      file =>
        file.endsWith(".tgz") &&
        (isAny ? file.startsWith(start) && /^\d+\.\d+\.\d/.test(file.slice(start.length)) : file === `${start}.tgz`),
    )
    .sort((one, other) => one.localeCompare(other, "en", {numeric: true}))
    .at(-1)
  if (own !== undefined) return join(project, vendor, own)
  const ready = (await readyFiles()).get(name.replace(/^svc-plugin-/, ""))
  return ready !== undefined && (isAny || basename(ready) === `${start}.tgz`) ? ready : undefined
}

/** Reads the package.json in a tarball of `npm pack`. Throws `request_invalid` if the file is none. */
export const manifestIn = async (tarball: string): Promise<unknown> => {
  const {unpackTar} = await import("modern-tar")
  try {
    const bytes = await promisify(gunzip)(await readFile(tarball), {maxOutputLength: mostBytes})
    const [manifest] = await unpackTar(bytes, {filter: ({name}) => /^[^/]+\/package\.json$/.test(name)})
    if (manifest === undefined) throw new Error("it has no package.json")
    return fromJson(new TextDecoder().decode(manifest.data))
  } catch (cause) {
    throw new Problem("request_invalid", `${tarball} is not the package of a plugin: ${messageOf(cause)}`, {
      cause,
      hint: "Give a file that npm pack made, such as vendor/svc-plugin-dice-1.0.0.tgz.",
    })
  }
}

const mostBytes = 100 * 1024 * 1024

/** Copies a tarball to the project's `vendor/`, unless it is there. Resolves to the new file, undefined if there is none. */
export const putInVendor = async (project: string, tarball: string, name: string, version: string) => {
  const target = join(project, vendor, tarballName(name, version))
  if (await isThere(target)) return undefined
  await mkdir(join(project, vendor), {recursive: true})
  await copyFile(tarball, target)
  return target
}
