import {basename, join} from "node:path"
import {fileURLToPath} from "node:url"

/** Bun and Node run the bundles that the build makes; Bun runs the source as well. */
const isSource = import.meta.url.endsWith(".ts")

/** The bundle for Node is in `dist/`, that for Bun in `dist/bun/`. */
const toRoot = isSource || /\/dist\/bun\/[^/]+$/.test(import.meta.url) ? "../.." : ".."

/** The folder of the svc package. */
export const packageRoot: string = fileURLToPath(new URL(toRoot, import.meta.url)).replace(/\/$/, "")

/** The path of a module of svc's own that is shipped by its name, by where it is in the source: there, or in the bundle that runs. */
export const ownModule = (source: string): string =>
  isSource ? join(packageRoot, source) : fileURLToPath(new URL(`./${basename(source, ".ts")}.js`, import.meta.url))

/** What this process was started as, without the words of its command: program, its options, the script. */
export const ownCommand = (): readonly string[] => {
  const [, script = ""] = process.argv
  return [process.execPath, ...process.execArgv, script]
}
