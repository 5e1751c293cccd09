import {accessSync, constants} from "node:fs"
import {delimiter, join} from "node:path"

/** The package manager and runtime of a project. */
export type Toolchain = "bun" | "node"

/** The Bun that npx fetches if none is installed. */
const fetchedBun = ["npx", "--yes", "bun@1.4.5"] as const

/** The commands of a project for a person at this machine. */
export interface Call {
  readonly install: string
  /** The command before the name of a package.json script. */
  readonly run: string
  /** The command before the arguments of svc. */
  readonly svc: string
  /** The command before the path of a TypeScript file. */
  readonly file: string
}

/** The folders that npm, npx and Bun put in front of the PATH of what they run. */
const putInFront = /[\\/]node_modules[\\/]\.bin[\\/]?$|[\\/]bun-node-/

/** Returns the file that a terminal on this machine would run for a program, without the package manager that runs svc. */
export const findProgram = (program: string, path: string = process.env.PATH ?? ""): string | undefined =>
  path
    .split(delimiter)
    .filter(folder => folder !== "" && !(process.env.npm_execpath !== undefined && putInFront.test(folder)))
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

/** Returns the command for Bun: `bun` if it is installed, else through npx, else the path of the Bun that runs svc. */
const installedBun = (path?: string): string => {
  if (isInstalled("bun", path)) return "bun"
  if (isInstalled("npx", path) || process.versions.bun === undefined) return fetchedBun.join(" ")
  return quoted(process.execPath)
}

/** Returns the commands for a terminal with this PATH, to be run in the project's folder. */
export const callOf = (toolchain: Toolchain, path?: string): Call => {
  if (toolchain === "node") {
    const file = "node --experimental-strip-types"
    return {install: "npm install", run: "npm run", svc: "npx svc", file}
  }
  const bun = installedBun(path)
  return {install: `${bun} install`, run: `${bun} run`, svc: `${bun} run --bun svc`, file: bun}
}

/** Returns the command of a toolchain's package manager: npm, or the Bun that runs svc, is installed or can be fetched. */
export const packageManager = (toolchain: Toolchain): readonly [string, ...string[]] => {
  if (toolchain === "node") return ["npm"]
  if (process.versions.bun !== undefined) return [process.execPath]
  return isInstalled("bun") ? ["bun"] : fetchedBun
}

/** Quotes a word for a shell. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
