import {accessSync, constants} from "node:fs"
import {delimiter, join} from "node:path"

/** The package manager and runtime of a project. */
export type Toolchain = "bun" | "node"

/** The Bun that npx fetches where none is installed. */
const fetchedBun = ["npx", "--yes", "bun@1.4.5"] as const

/** How a person calls what a project has, on the machine where they are. */
export interface Call {
  readonly install: string
  /** Before the name of a script of package.json. */
  readonly run: string
  /** Before the arguments of svc. */
  readonly svc: string
  /** Before the path of a TypeScript file. */
  readonly file: string
}

/**
 * The file that a terminal of this machine runs for a program. Folders that npx and Bun put in front of the PATH while they run
 * svc do not count.
 */
export const findProgram = (program: string, path: string = process.env.PATH ?? ""): string | undefined =>
  path
    .split(delimiter)
    .filter(folder => folder !== "" && !/[\\/]node_modules[\\/]|[\\/]bun-node-/.test(`${folder}/`))
    .map(folder => join(folder, program))
    .find(isExecutable)

export const isInstalled = (program: string, path?: string): boolean => findProgram(program, path) !== undefined

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Bun as a person starts it: `bun`, through npx where only npm is installed, else the one that runs svc. */
const installedBun = (path?: string): string => {
  if (isInstalled("bun", path)) return "bun"
  if (isInstalled("npx", path) || process.versions.bun === undefined) return fetchedBun.join(" ")
  return quoted(process.execPath)
}

/** Commands for the terminal of a person with this PATH; each works in the project's folder. */
export const callOf = (toolchain: Toolchain, path?: string): Call => {
  if (toolchain === "node") {
    const file = "node --experimental-strip-types"
    return {install: "npm install", run: "npm run", svc: "npx svc", file}
  }
  const bun = installedBun(path)
  return {install: `${bun} install`, run: `${bun} run`, svc: `${bun} run --bun svc`, file: bun}
}

/** What runs the package manager of a toolchain: the Bun that runs svc, or one that is installed or can be fetched; or npm. */
export const packageManager = (toolchain: Toolchain): readonly [string, ...string[]] => {
  if (toolchain === "node") return ["npm"]
  if (process.versions.bun !== undefined) return [process.execPath]
  return isInstalled("bun") ? ["bun"] : fetchedBun
}

/** A word as a shell takes it. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
