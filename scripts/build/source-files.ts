import {createHash} from "node:crypto"
import {readdirSync, readFileSync} from "node:fs"
import {join, relative} from "node:path"

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
