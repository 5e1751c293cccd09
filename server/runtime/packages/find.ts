import {existsSync} from "node:fs"
import {createRequire} from "node:module"
import {dirname, join} from "node:path"
import {pathToFileURL} from "node:url"

/** Packages that a project may have, and svc does not need: providers of models, libraries of adapters. */

/** The folders in which packages were found, by all that was asked. What is not there is looked for again. */
const found = new Map<string, string>()

/** The first of these folders that has the package, or a folder that it is in has. Nothing of the package is run. */
export const findPackage = (name: string, folders: readonly string[]): string | undefined => {
  const key = [name, ...folders].join("\n")
  const folder = found.get(key) ?? folders.map(from => searchFrom(from, name)).find(Boolean)
  if (folder !== undefined) found.set(key, folder)
  return folder
}

/** As both runtimes search: `node_modules` of the folder, and of those that it is in. */
const searchFrom = (folder: string, name: string): string | undefined => {
  if (existsSync(join(folder, "node_modules", name, "package.json"))) return folder
  const parent = dirname(folder)
  return parent === folder ? undefined : searchFrom(parent, name)
}

/** Loads the package that `findPackage` found in a folder. Throws what it throws while it loads. */
export const importPackage = async (name: string, folder: string): Promise<object> =>
  import(pathToFileURL(createRequire(join(folder, "package.json")).resolve(name)).href)

/** Installs packages, as `name@version`, with the package manager of this runtime. */
export const installCommandOf = (...packages: readonly string[]): string => {
  const install = process.versions.bun === undefined ? "npm install --save-exact" : "bun add --exact"
  return `${install} ${packages.join(" ")}`
}
