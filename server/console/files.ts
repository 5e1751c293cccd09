import {readFile} from "node:fs/promises"
import {join} from "node:path"
import {Problem} from "../../shared/problems.ts"
import {packageRoot} from "../runtime/own-files.ts"

/** How the browser application is kept: each file as it is, and compressed beside it. */
export const encodings = {br: ".br", gzip: ".gz"} as const
export type Encoding = keyof typeof encodings

export interface ConsoleFile {
  readonly type: string
  /** Of its content; each encoding has a tag of its own. */
  readonly hash: string
  readonly encodings: readonly Encoding[]
}

/** `files.json`, which the build writes last: what may be served, and nothing else is. */
export interface ConsoleListing {
  /** Hash of everything that it was built from. */
  readonly source: string
  /** What a browser loads before anything is shown, compressed, in bytes. */
  readonly firstLoad: number
  readonly files: Readonly<Record<string, ConsoleFile>>
}

/** Where the build puts the browser application. */
export const consoleFolder = join(packageRoot, "dist/console")

export const listingName = "files.json"

/** What the folder holds now: a build while the Host runs is served at once. Throws `console_missing`. */
export const readListing = async (folder = consoleFolder): Promise<ConsoleListing> => {
  try {
    return JSON.parse(await readFile(join(folder, listingName), "utf8"))
  } catch (cause) {
    throw new Problem("console_missing", "the console was not built", {cause})
  }
}

/** A file of the listing; `name` must be one of its names. */
export const readConsoleFile = (
  name: string,
  encoding: Encoding | undefined,
  folder = consoleFolder,
): Promise<Uint8Array> => readFile(join(folder, `${name}${encoding === undefined ? "" : encodings[encoding]}`))
