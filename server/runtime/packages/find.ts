import {existsSync} from "node:fs"
import {createRequire} from "node:module"
import {dirname, join} from "node:path"
import {setImmediate, setTimeout as sleep} from "node:timers/promises"
import {pathToFileURL} from "node:url"

/** Finds optional packages of a project: providers of models, libraries of adapters. */

/** The folders in which packages were found. A missing package is looked for again each time. */
const found = new Map<string, string>()

/** Returns the first of these folders that has the package, itself or in a parent. Runs no code of the package. */
export const findPackage = (name: string, folders: readonly string[]): string | undefined => {
  const key = [name, ...folders].join("\n")
  const folder = found.get(key) ?? folders.map(from => searchFrom(from, name)).find(Boolean)
  if (folder !== undefined) found.set(key, folder)
  return folder
}

/** Searches like both runtimes: `node_modules` of the folder and of its parents. */
const searchFrom = (folder: string, name: string): string | undefined => {
  if (existsSync(join(folder, "node_modules", name, "package.json"))) return folder
  const parent = dirname(folder)
  return parent === folder ? undefined : searchFrom(parent, name)
}

/** How long a package that does not finish loading delays the next one, in milliseconds. */
const longestTurn = 5000

/** Ends when the package in turn has loaded or its turn is over. */
let turn: Promise<unknown> = Promise.resolve()

/** Delays the packages that are requested from now on until the returned function is called. */
export const holdPackages = (): (() => void) => {
  const {promise, resolve} = Promise.withResolvers<void>()
  turn = Promise.all([turn, promise])
  return resolve
}

/**
 * Loads the package that `findPackage` found in a folder, after those that were requested before. The Host answers
 * requests between two packages while ten adapters connect at startup. Throws the errors of the package.
 */
export const importPackage = (name: string, folder: string): Promise<object> => {
  const begun = turn.then(() => setImmediate())
  const loading = begun.then(
    (): Promise<object> => import(pathToFileURL(createRequire(join(folder, "package.json")).resolve(name)).href),
  )
  turn = begun.then(() => Promise.race([loading.catch(() => {}), sleep(longestTurn, undefined, {ref: false})]))
  return loading
}

/** Returns the command that installs packages, given as `name@version`, with the package manager of this runtime. */
export const installCommandOf = (...packages: readonly string[]): string =>
  `${process.versions.bun === undefined ? "npm install --save-exact" : "bun add --exact"} ${packages.join(" ")}`

/** The same for packages that production does not need. */
export const installForDevelopment = (...packages: readonly string[]): string =>
  `${process.versions.bun === undefined ? "npm install --save-dev --save-exact" : "bun add --dev --exact"} ${packages.join(" ")}`
