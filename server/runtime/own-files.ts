import {basename, join} from "node:path"
import {fileURLToPath} from "node:url"

/** Bun and Node run the bundles of the build; Bun also runs the source. */
const isSource = import.meta.url.endsWith(".ts")

/** `dist/` has the bundle for Node, `dist/bun/` the bundle for Bun. */
const toRoot = isSource || /\/dist\/bun\/[^/]+$/.test(import.meta.url) ? "../.." : ".."

export const packageRoot: string = fileURLToPath(new URL(toRoot, import.meta.url)).replace(/\/$/, "")

/** The folders of svc's own code, as they appear in stacks. */
const own = ["dist", "server", "shared", "cli"].map(folder => `${packageRoot}/${folder}/`)

/** Returns whether a line of a stack is of svc's own code or of the runtime. */
export const isOwnFrame = (line: string): boolean =>
  !line.includes("/") || line.includes("node:") || own.some(folder => line.includes(folder))

/** The list of the console's files, in `dist/console/`. */
export const listingName = "files.json"

/** The JSON Schema that the first line of a project's `svc.config.yml` names, by this path in the package. */
export const editorSchema = "docs/reference/svc.config.schema.json"

/** Returns the path of a module that svc ships by name, from its path in the source: the source file, or its bundle. */
export const ownModule = (source: string): string =>
  isSource ? join(packageRoot, source) : fileURLToPath(new URL(`./${basename(source, ".ts")}.js`, import.meta.url))

/** Returns how this process was started, without the words of its command: program, program options, script. */
export const ownCommand = (): readonly string[] => {
  const [, script = ""] = process.argv
  return [process.execPath, ...process.execArgv, script]
}
