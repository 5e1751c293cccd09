import {cp, readdir, readFile, writeFile} from "node:fs/promises"
import {join} from "node:path"
import {ProjectConfig} from "../../../shared/config/config.ts"
import {toJson} from "../../../shared/json.ts"
import {fieldsOf} from "../../../shared/sdk/session/values.ts"
import {check} from "../../config/check.ts"
import {referencesIn} from "../../config/expand.ts"
import {readConfigText, readEnvironment} from "../../config/load.ts"
import {invalid, parseSource, type Source} from "../../config/text/source.ts"
import {ifThere, leavingNoFolders, makePrivateFolder, removeFolder} from "../../runtime/files.ts"
import {type ProjectPaths, projectPaths} from "../../runtime/project.ts"
import type {Settings} from "./settings.ts"

/** A project as it is, of which an evaluation only reads. */
export interface Original {
  readonly paths: ProjectPaths
  /** Names the file `.env.<name>`. */
  readonly environment: string
  readonly source: Source
  readonly raw: Settings
}

/** Throws `project_missing` and `config_invalid`. */
export const readOriginal = async (project: string, environment: string): Promise<Original> => {
  const paths = projectPaths(project)
  const {file, text} = await readConfigText(paths.config)
  const source = parseSource(file, text)
  if (source.duplicates.length > 0) throw invalid(source.duplicates)
  return {paths, environment, source, raw: fieldsOf(source.raw)}
}

/** What a copy of the project leaves out, besides its database. */
const left = [".svc", ".git", "node_modules"]

/**
 * Does work in a copy of the project, which is then removed; the copies of killed evaluations are removed before. It is
 * inside of the project, where its plugins find the project's packages.
 */
export const inCopy = async <T>(original: Original, work: (folder: string) => Promise<T>): Promise<T> => {
  const {temporary, state} = original.paths
  return leavingNoFolders([state, temporary], async () => {
    await removeLeft(temporary)
    const folder = join(temporary, `eval-${process.pid}`)
    try {
      await makePrivateFolder(folder)
      await copyProject(original, folder)
      return await work(folder)
    } finally {
      await removeFolder(folder)
    }
  })
}

const removeLeft = async (temporary: string): Promise<void> => {
  for (const name of (await ifThere(readdir(temporary))) ?? []) {
    const [, pid] = /^eval-(\d+)$/.exec(name) ?? []
    if (pid !== undefined && isGone(Number(pid))) await removeFolder(join(temporary, name))
  }
}

const isGone = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return pid === process.pid
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH"
  }
}

const copyProject = async ({paths, raw}: Original, folder: string): Promise<void> => {
  const {filename} = fieldsOf(raw.database)
  const database = typeof filename === "string" ? join(paths.project, filename) : paths.database
  const isCopied = (path: string) => path !== paths.jobs && path !== paths.files && !path.startsWith(database)
  for (const name of await readdir(paths.project))
    if (!left.includes(name))
      await cp(join(paths.project, name), join(folder, name), {recursive: true, filter: isCopied, mode: clone})
}

/** Copies share their blocks where the file system can. */
const clone = 2

/**
 * Writes the configuration into the copy, without the state of an earlier case. A variable that is not set has a
 * placeholder, since no platform reads it; those of agents only if `isReplay`. Throws `config_invalid` with positions
 * in the project's own file.
 */
export const prepare = async (
  folder: string,
  original: Original,
  settings: Settings,
  isReplay: boolean,
): Promise<void> => {
  const {environment, source, paths} = original
  const copy = projectPaths(folder)
  await Promise.all([copy.state, copy.files, copy.jobs].map(removeFolder))
  const {variables} = await readEnvironment(paths.project, environment, process.env)
  const missing = [...referencesIn(isReplay ? settings : {...settings, agents: {}})].filter(
    ([name, otherwise]) => !variables[name] && otherwise === undefined,
  )
  const added = Object.fromEntries(missing.map(([name]) => [name, `svc-eval-${name.toLowerCase()}`]))
  const {issues} = check(source, {...variables, ...added}, ProjectConfig, settings)
  if (issues.length > 0) throw invalid(issues)
  const file = join(folder, `.env.${environment}`)
  const lines = Object.entries(added).map(([name, value]) => `\n${name}=${value}`)
  const before = (await ifThere(readFile(join(paths.project, `.env.${environment}`), "utf8"))) ?? ""
  await writeFile(file, `${before}${lines.join("")}\n`, {mode: 0o600})
  await writeFile(copy.config, `${toJson(settings, undefined, 2)}\n`)
}
