import {createHash} from "node:crypto"
import {readdirSync, readFileSync} from "node:fs"
import {join, relative} from "node:path"

/** All files below a folder, in order. */
export const filesOf = (folder: string): string[] =>
  readdirSync(folder, {recursive: true, withFileTypes: true})
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .sort()

/** Of the names, as seen from `root`, and the content of all that a result depends on. */
export const hashFiles = (root: string, files: readonly string[]): string => {
  const hash = createHash("sha256")
  for (const file of files) hash.update(relative(root, file)).update("\0").update(readFileSync(file)).update("\0")
  return hash.digest("hex")
}
