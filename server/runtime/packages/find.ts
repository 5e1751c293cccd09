import {existsSync} from "node:fs"
import {createRequire} from "node:module"
import {dirname, join} from "node:path"
import {setImmediate, setTimeout as sleep} from "node:timers/promises"
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

/** One package that does not come to an end holds up the next one so long, in milliseconds. */
const longestTurn = 5000

/** Ends when the package that loads now has loaded, or its turn is over. */
let turn: Promise<unknown> = Promise.resolve()

/** Packages that are asked for from now on are loaded once the function that this returns is called. */
export const holdPackages = (): (() => void) => {
  const {promise, resolve} = Promise.withResolvers<void>()
  turn = Promise.all([turn, promise])
  return resolve
}

/**
 * Loads the package that `findPackage` found in a folder, after those that were asked for before: requests are answered between
 * two packages, where ten adapters connect at a start. Throws what the package throws while it loads.
 */
export const importPackage = (name: string, folder: string): Promise<object> => {
  const begun = turn.then(() => setImmediate())
  const loading = begun.then(
    (): Promise<object> => import(pathToFileURL(createRequire(join(folder, "package.json")).resolve(name)).href),
  )
  turn = begun.then(() => Promise.race([loading.catch(() => {}), sleep(longestTurn, undefined, {ref: false})]))
  return loading
}

/** Installs packages, as `name@version`, with the package manager of this runtime. */
export const installCommandOf = (...packages: readonly string[]): string =>
  `${process.versions.bun === undefined ? "npm install --save-exact" : "bun add --exact"} ${packages.join(" ")}`

/** The same for what production does without. */
export const installForDevelopment = (...packages: readonly string[]): string =>
  `${process.versions.bun === undefined ? "npm install --save-dev --save-exact" : "bun add --dev --exact"} ${packages.join(" ")}`
