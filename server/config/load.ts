import {readFile, stat} from "node:fs/promises"
import {basename, join} from "node:path"
import {isDeepStrictEqual} from "node:util"
import {parse} from "dotenv"
import {ProjectConfig} from "../../shared/config/config.ts"
import {type Issue, messageOf, Problem} from "../../shared/problems.ts"
import {sha256Of} from "../runtime/files.ts"
import {showRunning} from "../runtime/flow/handler-slots.ts"
import {readApart} from "./apart.ts"
import {check, findUnset} from "./check.ts"
import {crossCheck} from "./cross-check.ts"
import type {Variables} from "./expand.ts"
import {decodeSource, invalid, parseSource, type Source} from "./text/source.ts"
import type {Yaml} from "./text/yaml-value.ts"

/** A configuration as text, with its file and its hash. */
export interface ConfigText {
  readonly file: string
  readonly text: string
  /** SHA-256 of the text, in hexadecimal. */
  readonly sha256: string
}

export interface LoadedConfig extends ConfigText {
  readonly config: ProjectConfig
  readonly source: Source
  /** The variables that it was expanded with, for the plugins' own keys. */
  readonly variables: Variables
  /** The values of the secrets outside the plugins' own keys. */
  readonly secrets: readonly string[]
}

/** Throws `project_missing` if the file is missing, `config_invalid` if it is not text. */
export const readConfigText = async (path: string): Promise<ConfigText> => {
  const bytes = await readFile(path).catch(cause => {
    throw new Problem("project_missing", `cannot read ${path}: ${messageOf(cause)}`, {cause})
  })
  const file = basename(path)
  const text = decodeSource(file, bytes)
  return {file, text, sha256: sha256Of(text)}
}

/** Parses, expands and checks a configuration, but no plugins' keys. Throws `config_invalid` with all findings. */
export const parseConfig = (from: ConfigText, variables: Variables, read?: Yaml): LoadedConfig =>
  showRunning("svc: the configuration", () => checkConfig(parseSource(from.file, from.text, read), from, variables))

const checkConfig = (source: Source, from: ConfigText, variables: Variables): LoadedConfig => {
  const checked = check(source, variables, ProjectConfig, source.raw)
  const found = [...source.duplicates, ...checked.issues].sort(byPosition)
  const issues = found.length > 0 ? found : crossCheck(source, checked.value as ProjectConfig)
  if (issues.length > 0) throw invalid([...issues, ...unsetOfPlugins(source, variables)].sort(byPosition))
  return {...from, source, variables, config: checked.value as ProjectConfig, secrets: checked.secrets}
}

/** The plugins' own keys are checked only without other findings; their variables are set in the same place as all. */
const unsetOfPlugins = (source: Source, variables: Variables): readonly Issue[] => {
  const {plugins} = (source.raw ?? {}) as {readonly plugins?: Readonly<Record<string, RawEntry>>}
  return Object.entries(plugins ?? {})
    .filter(([, entry]) => entry?.enabled !== false)
    .flatMap(([name, entry]) =>
      (["config", "endpoints"] as const).flatMap(key =>
        findUnset(source, variables, entry?.[key], ["plugins", name, key]),
      ),
    )
}

type RawEntry = Readonly<Record<"enabled" | "config" | "endpoints", unknown>> | null

/** The same, away from the event loop for a long text. Reuses the last result if text and variables are unchanged. */
export const parseUnlessSame = async (
  last: LoadedConfig | undefined,
  from: ConfigText,
  variables: Variables,
  signal: AbortSignal,
): Promise<LoadedConfig> =>
  last?.file === from.file && last.sha256 === from.sha256 && isDeepStrictEqual(last.variables, variables)
    ? last
    : parseConfig(from, variables, await readApart(from.text, signal))

const byPosition = (one: Issue, other: Issue) => one.line - other.line || one.column - other.column

export interface EnvironmentFile {
  readonly path: string
  readonly text: string
  /** Permission bits. */
  readonly mode: number
  readonly values: Readonly<Record<string, string>>
}

export interface Environment {
  /** `.env.<name>` overrides `.env`. */
  readonly name: string
  readonly variables: Variables
  readonly files: readonly EnvironmentFile[]
}

/** Reads `.env`, then `.env.<name>`, which overrides it. The process's environment overrides both. */
export const readEnvironment = async (project: string, name: string, own: Variables): Promise<Environment> => {
  const read = await Promise.all([".env", `.env.${name}`].map(file => readEnvironmentFile(join(project, file))))
  const files = read.filter(file => file !== undefined)
  return {name, files, variables: Object.assign({}, ...files.map(file => file.values), own)}
}

const readEnvironmentFile = async (path: string): Promise<EnvironmentFile | undefined> => {
  const info = await stat(path).catch(() => undefined)
  if (!info?.isFile()) return undefined
  const text = await readFile(path, "utf8")
  return {path, text, mode: info.mode & 0o777, values: parse(text)}
}
