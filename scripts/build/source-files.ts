import {createHash} from "node:crypto"
import {readdirSync, readFileSync} from "node:fs"
import {join, relative} from "node:path"
import {root} from "../root.ts"

/** Returns all files below a folder, sorted. */
export const filesOf = (folder: string): string[] =>
  readdirSync(folder, {recursive: true, withFileTypes: true})
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .sort()

/** Hashes the names, relative to `root`, and the contents of files. */
export const hashFiles = (root: string, files: readonly string[]): string => {
  const hash = createHash("sha256")
  for (const file of files) hash.update(relative(root, file)).update("\0").update(readFileSync(file)).update("\0")
  return hash.digest("hex")
}

/** Where a build writes the `hashSources` that it was made from. */
export const stamp = join(root, "dist/built-from")

/** Hashes the sources of the bundles, the declarations and the API's document, and the scripts that build them. */
export const hashSources = (): string => {
  const sources = ["cli", "plugins", "server", "shared", "scripts/build", "scripts/reference"].flatMap(folder =>
    filesOf(join(root, folder)),
  )
  const others = ["package.json", "tsconfig.json", "bun.lockb"].map(file => join(root, file))
  const isSource = (file: string) => /\.(ts|json|md)$/.test(file) && !/\/(?:dist|data|\.svc|node_modules)\//.test(file)
  return hashFiles(root, [...sources.filter(isSource), ...others])
}
