import {chmod, mkdir, readFile, realpath, rm, stat, writeFile} from "node:fs/promises"
import {dirname, join, relative} from "node:path"
import {namePattern} from "../../shared/ids.ts"
import {messageOf, Problem} from "../../shared/problems.ts"
import {fieldsOf} from "../../shared/sdk/session/values.ts"
import {withValue} from "../config/edit/text.ts"
import {readConfigText} from "../config/load.ts"
import {parseSource} from "../config/text/source.ts"
import {isThere, writeFileAtomic} from "../runtime/files.ts"
import {projectPaths} from "../runtime/project.ts"

export interface NewPluginOptions {
  /** The project's folder, absolute. */
  readonly project: string
  readonly name: string
  readonly isAdapter: boolean
  /** The names of the built-in plugins. */
  readonly builtIn: readonly string[]
  /** The folder of the svc package, which contains the templates. */
  readonly packageRoot: string
}

export interface NewPlugin {
  readonly name: string
  /** The written files, relative to the project; the configuration comes last. */
  readonly files: readonly string[]
}

interface PluginTemplate {
  readonly folder: string
  /** The word in the template's files that the plugin's name replaces. */
  readonly word: string
  readonly files: Readonly<Record<string, (name: string) => string>>
}

const pluginFile = (name: string) => `plugins/${name}.ts`
const testFile = (name: string) => `tests/${name}.test.ts`

const templates: Readonly<Record<"plugin" | "adapter", PluginTemplate>> = {
  plugin: {
    folder: "cli/init/plugin",
    word: "example",
    files: {"plugins/example.ts": pluginFile, "tests/example.test.ts": testFile},
  },
  adapter: {
    folder: "cli/init/adapter",
    word: "lines",
    files: {
      "plugins/lines.ts": pluginFile,
      "tests/lines.test.ts": testFile,
      "tests/server.ts": name => `tests/${name}-server.ts`,
    },
  },
}

/**
 * Writes a plugin and its test from a template, and adds the plugin to svc.config.yml, or does nothing if a step fails. It
 * writes the configuration last, so that a running Host finds the plugin. Throws `request_invalid` for an invalid name,
 * `conflict` if the name or a file already exists or the configuration cannot be edited, `project_missing`, and
 * `config_invalid`.
 */
export const makePlugin = async (options: NewPluginOptions): Promise<NewPlugin> => {
  const {project, name, isAdapter, packageRoot} = options
  requireName(options)
  const paths = projectPaths(project)
  const edited = await editedConfig(paths.config, name)
  const {folder, word, files} = templates[isAdapter ? "adapter" : "plugin"]
  const targets = Object.values(files).map(target => target(name))
  await requireFree(project, name, targets)
  const written: string[] = []
  try {
    for (const [source, target] of Object.entries(files)) {
      const text = fill(await readFile(join(packageRoot, folder, source), "utf8"), word, name)
      const place = join(project, target(name))
      await mkdir(dirname(place), {recursive: true})
      await writeFile(place, text, {flag: "wx"})
      written.push(place)
    }
    await replaceKeepingMode(paths.config, edited)
  } catch (cause) {
    for (const file of written) await rm(file, {force: true})
    if (cause instanceof Problem) throw cause
    throw new Problem("conflict", `the plugin was not created: ${messageOf(cause)}`, {
      cause,
      hint: "svc changed nothing. Fix the problem that the message names, then repeat the command.",
    })
  }
  return {name, files: [...targets, relative(project, paths.config)]}
}

const requireName = ({name, builtIn}: NewPluginOptions): void => {
  const hint = "Choose another name: svc plugin new dice"
  if (!new RegExp(namePattern).test(name)) {
    throw new Problem("request_invalid", `"${name}" cannot be the name of a plugin`, {
      hint: "Use at most 64 lower-case letters, digits, - and _, and start with a letter or digit: svc plugin new dice",
    })
  }
  if (builtIn.includes(name)) throw new Problem("conflict", `"${name}" is a built-in plugin`, {hint})
}

/**
 * Resolves to the configuration, or a changed text of it, with an entry for a new plugin. Throws `conflict`, `project_missing`,
 * `config_invalid`. If it has that plugin already, `ifThere` says what to do.
 */
export const editedConfig = async (
  path: string,
  name: string,
  entry: {readonly use?: string; readonly enabled?: boolean} = {},
  changed?: string,
  ifThere: "refuse" | "keep" = "refuse",
): Promise<string> => {
  const {file, text: own} = await readConfigText(path)
  const text = changed ?? own
  if (Object.hasOwn(pluginsIn(file, text), name)) {
    if (ifThere === "keep") return text
    throw new Problem("conflict", `${file} already has a plugin "${name}"`, {hint: "Choose another name."})
  }
  const edited = withValue(text, ["plugins", name], entry)
  if (edited !== undefined) return edited
  throw new Problem("conflict", `svc cannot add an entry to plugins in ${file}`, {
    hint: `Write plugins as a mapping with an entry on each line, or add ${name}: {} there by hand.`,
  })
}

const pluginsIn = (file: string, text: string) => fieldsOf(fieldsOf(parseSource(file, text).raw).plugins)

/**
 * Adds entries for plugins to the configuration, except those that it has, also under another name. Resolves to the names of
 * the added ones: none if the file cannot be edited.
 */
export const addEntries = async (
  config: string,
  plugins: readonly {readonly name: string; readonly entry: unknown}[],
): Promise<readonly string[]> => {
  try {
    const {file, text} = await readConfigText(config)
    const taken = Object.entries(pluginsIn(file, text)).flatMap(([name, entry]) => [name, fieldsOf(entry).use])
    let edited = text
    const added = plugins.filter(({name, entry}) => {
      const next = taken.includes(name) ? undefined : withValue(edited, ["plugins", name], entry)
      edited = next ?? edited
      return next !== undefined
    })
    if (added.length > 0) await replaceKeepingMode(config, edited)
    return added.map(({name}) => name)
  } catch {
    return []
  }
}

const requireFree = async (project: string, name: string, targets: readonly string[]): Promise<void> => {
  const others = [`plugins/${name}.js`, `plugins/${name}.mjs`, `plugins/${name}`]
  for (const target of [...targets, ...others]) {
    if (await isThere(join(project, target)))
      throw new Problem("conflict", `${target} already exists`, {hint: "Choose another name, or move the file."})
  }
}

/** Returns a template's text with the plugin's name in code, paths and environment variables. */
const fill = (text: string, word: string, name: string): string =>
  text
    .replaceAll('"./server.ts"', `"./${name}-server.ts"`)
    .replace(new RegExp(`\\b${word}\\b`, "g"), name)
    .replaceAll(word.toUpperCase(), name.toUpperCase().replaceAll("-", "_"))

/** Replaces a file atomically; keeps its mode, and a link stays a link. */
export const replaceKeepingMode = async (file: string, text: string): Promise<void> => {
  const path = await realpath(file)
  const {mode} = await stat(path)
  await writeFileAtomic(path, text)
  await chmod(path, mode & 0o777)
}
