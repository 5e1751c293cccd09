import {existsSync, globSync, readFileSync, statSync} from "node:fs"
import {dirname, join, relative} from "node:path"
import {filesOf, hashSources, stamp} from "../build/source-files.ts"
import {root} from "../root.ts"

export interface Package {
  readonly name: string
  readonly version: string
}

interface Manifest extends Package {
  readonly files?: readonly string[]
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, {readonly optional?: boolean}>>
}

const readManifest = (file: string): Manifest => JSON.parse(readFileSync(file, "utf8"))

/** Returns the names of the packages that npm installs for svc-runtime itself. */
export const dependencies = (): readonly string[] =>
  Object.keys(readManifest(join(root, "package.json")).dependencies ?? {})

/** Returns the manifest of a package as Node finds it from a folder; undefined if it is not installed. */
const findPackage = (name: string, folder: string): string | undefined => {
  const file = join(folder, "node_modules", name, "package.json")
  if (existsSync(file)) return file
  return folder === dirname(folder) ? undefined : findPackage(name, dirname(folder))
}

/**
 * Returns these packages and everything that npm installs for them, each version once, as node_modules has them: with the
 * optional packages of this platform, and without optional peers.
 */
export const packagesBelow = (names: readonly string[]): readonly Package[] => {
  const found = new Map<string, Package>()
  const visit = (name: string, from: string) => {
    const file = findPackage(name, from)
    if (file === undefined || found.has(file)) return
    const {version, dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta} = readManifest(file)
    found.set(file, {name, version})
    const peers = Object.keys(peerDependencies ?? {}).filter(peer => peerDependenciesMeta?.[peer]?.optional !== true)
    for (const next of [...Object.keys({...dependencies, ...optionalDependencies}), ...peers])
      visit(next, dirname(file))
  }
  for (const name of names) visit(name, root)
  return [...new Map([...found.values()].map(each => [`${each.name}@${each.version}`, each])).values()]
}

/** Whether dist/ holds the build of the present sources. */
export const isBuilt = (): boolean => existsSync(stamp) && readFileSync(stamp, "utf8") === hashSources()

/** Returns the unpacked bytes of what `npm pack` ships: the `files` of package.json, and the three files that npm adds. */
export const shippedBytes = (): number => {
  const {files = []} = readManifest(join(root, "package.json"))
  const left = files.filter(each => each.startsWith("!")).map(each => each.slice(1))
  const paths = files
    .filter(each => !each.startsWith("!"))
    .concat("package.json", "README.md", "LICENSE")
    .flatMap(each => globSync(join(root, each)))
    .flatMap(path => (statSync(path).isDirectory() ? filesOf(path) : [path]))
    .filter(path => !left.some(pattern => isAt(relative(root, path), pattern)))
  return [...new Set(paths)].reduce((sum, path) => sum + statSync(path).size, 0)
}

/** Whether a path is at a pattern, with `*` for any name, or below it. */
const isAt = (path: string, pattern: string): boolean => {
  const names = path.split("/")
  return pattern.split("/").every((name, index) => name === "*" || name === names[index])
}
