import {createTwoFilesPatch, FILE_HEADERS_ONLY} from "diff"
import type {
  ConfigApplied,
  ConfigFile,
  ConfigPreview,
  ConfigPreviewRequest,
  ConfigRequest,
  UncommittedConfig,
} from "../../../shared/api/configuration/file.ts"
import {withUnready} from "../../../shared/api/configuration/unready.ts"
import type {ReloadResult} from "../../../shared/api/system.ts"
import type {Mode} from "../../../shared/mode.ts"
import {isProblem, Problem} from "../../../shared/problems.ts"
import type {Static} from "../../../shared/type.ts"
import {withChangesApart} from "../../config/apart.ts"
import {replaceConfig, requireSame, Unwritable, whyUnwritable} from "../../config/edit-file.ts"
import {namesIn} from "../../config/expand.ts"
import {type ConfigText, type Environment, readConfigText} from "../../config/load.ts"
import {haveSamePrograms} from "../../config/programs.ts"
import {most} from "../../config/text/yaml-value.ts"
import {sha256Of} from "../../runtime/files.ts"
import type {Generation} from "../generation.ts"
import type {Generations} from "../generations.ts"

/** The project's configuration file, for reading and changing it over the API. */
export interface Configuration {
  readonly path: string
  readonly mode: Mode
  readonly generations: Generations
  readonly environment: () => Promise<Environment>
  /** Asks git whether the file is committed, at most once in an interval; with `again`, after a change, at once. */
  readonly uncommitted: (again?: boolean) => Promise<UncommittedConfig>
}

/** Returns `unreadyIn` of the report of a generation that does not run yet, with all that the Host knows. */
export type Foresee = (next: Pick<Generation, "config" | "instances" | "snapshot">) => readonly string[]

/** The options of a restart. */
export interface RestartOptions {
  /** Restart even if no supervisor would restart the Host. */
  readonly confirm: boolean
  /** Skip the trial of the next start. */
  readonly force: boolean
}

export interface Restarts {
  readonly foresee: Foresee
  /** Throws what a draft throws, `restart_required`, and, if it needs a restart, what `restart` throws. */
  reload(options: RestartOptions): Promise<ReloadResult>
}

export const readConfigFile = async (configuration: Configuration): Promise<ConfigFile> => {
  const {path, mode, generations, environment, uncommitted} = configuration
  const {file, text, sha256} = await readConfigText(path)
  const why = await whyUnwritable(path)
  const {pin} = generations.running
  return {
    file,
    text,
    hash: sha256,
    writable: why === undefined,
    ...(why === undefined ? {} : {why}),
    mode,
    ...(pin === undefined ? {} : {pinned: pin.number}),
    uncommitted: await uncommitted(),
    variables: variablesOf(text, await environment()),
  }
}

const variablesOf = (text: string, {files, variables}: Environment) => {
  const names = new Set([...namesIn(text), ...files.flatMap(({values}) => Object.keys(values))])
  return [...names].sort().map(name => ({name, set: (variables[name] ?? "") !== ""}))
}

/** Returns the file after a change, and its issues. Throws `config_changed`, `request_invalid`, and for the change. */
export const preview = async (
  {path, generations}: Configuration,
  foresee: Foresee,
  {hash, text, changes, draft = false}: Static<typeof ConfigPreviewRequest>,
): Promise<ConfigPreview> => {
  if ((text === undefined) === (changes === undefined))
    throw new Problem("request_invalid", "expected either text or changes, not both")
  const before = await requireSame(path, hash)
  const after = nextOf(before, text ?? (await withChangesApart(before.text, changes ?? [])))
  const {pin} = generations.running
  return {
    file: before.file,
    text: after.text,
    hash: after.sha256,
    diff: diffOf(before, after),
    ...(await judge(generations, after, draft ? foresee : undefined)),
    ...(pin?.fileSha256 === before.sha256 && after.sha256 !== before.sha256 ? {unpins: pin.number} : {}),
  }
}

const judge = async (
  generations: Generations,
  text: ConfigText,
  foresee: Foresee | undefined,
): Promise<Pick<ConfigPreview, "issues" | "code" | "restart" | "unready">> => {
  try {
    if (foresee === undefined) {
      await generations.check(text)
      return {issues: [], restart: []}
    }
    const {restart, seen} = await generations.try(text, foresee)
    return {issues: [], restart: [...restart], ...withUnready(seen)}
  } catch (error) {
    if (!(error instanceof Problem) || ["stopping", "starting", "internal"].includes(error.code)) throw error
    const whole = {file: text.file, line: 1, column: 1, path: "", message: error.message}
    return {issues: error.issues.length > 0 ? [...error.issues] : [whole], code: error.code, restart: []}
  }
}

/**
 * Tries a text as the next generation, writes the file and commits. A change that needs a restart is written only on
 * request, and undone if the restart is refused. Throws `config_changed`, `restart_required`, and what a draft throws;
 * then the file is unchanged.
 */
export const apply = async (
  configuration: Configuration,
  restarts: Restarts,
  {hash, text, restart = false, confirm = false, force = false}: Static<typeof ConfigRequest>,
): Promise<ConfigApplied> => {
  const {path, generations, uncommitted} = configuration
  const before = await requireSame(path, hash)
  const after = nextOf(before, text)
  const runs = () => generations.running.current?.number ?? 0
  const unchanged = {written: false, committed: false, generation: runs(), hash: before.sha256}
  if (after.sha256 === before.sha256) return {...unchanged, diff: ""}
  const diff = diffOf(before, after)
  const write = async () => {
    await replaceConfig(path, after.text, before.sha256)
    return async () => void (await replaceConfig(path, before.text, after.sha256))
  }
  try {
    const generation = await generations.adopt(after, "configuration edited", write)
    const unready = withUnready(restarts.foresee(generation))
    return {written: true, committed: true, generation: generation.number, hash: after.sha256, ...unready, diff}
  } catch (error) {
    if (error instanceof Unwritable) return {...unchanged, unwritable: error.message, diff}
    if (!restart || !isProblem(error, "restart_required")) throw error
  } finally {
    void uncommitted(true)
  }
  const written = await writeForRestart(configuration, restarts, {before, after}, write, {confirm, force})
  return {generation: runs(), ...written, diff}
}

/** In production the restart begins; in development the operator restarts. */
const writeForRestart = async (
  {mode, generations, uncommitted}: Configuration,
  restarts: Restarts,
  {before, after}: {readonly before: ConfigText; readonly after: ConfigText},
  write: () => Promise<() => Promise<void>>,
  options: RestartOptions,
): Promise<Omit<ConfigApplied, "diff" | "generation">> => {
  const {restart: reasons} = await generations.try(after, () => undefined)
  const written = {written: true, committed: false, hash: after.sha256}
  try {
    const takeBack = await write()
    try {
      const {restarting = false, committed, unready = []} = await restarts.reload(options)
      return {...written, committed, ...(restarting ? {restarting} : {}), ...withUnready(unready)}
    } catch (error) {
      if (mode !== "production" && isProblem(error, "restart_required")) return {...written, restart: [...reasons]}
      await takeBack()
      // The refused text is no longer in the file, so the status must not report it.
      await generations.reload("undone").catch(() => {})
      throw error
    }
  } catch (error) {
    if (!(error instanceof Unwritable)) throw error
    return {written: false, committed: false, hash: before.sha256, unwritable: error.message}
  } finally {
    void uncommitted(true)
  }
}

/**
 * Removes a byte order mark, which belongs to the file. Throws `request_invalid` for an invalid text, and
 * `config_not_editable` for one that starts other programs.
 */
const nextOf = ({file, text: before}: ConfigText, given: string): ConfigText => {
  const text = given.replace(/^\uFEFF/, "")
  if (!text.isWellFormed()) throw new Problem("request_invalid", "the text contains an incomplete character")
  if (!haveSamePrograms(before, text))
    throw new Problem("config_not_editable", "command and env of an MCP server can only be changed in the file itself")
  return {file, text, sha256: sha256Of(text)}
}

/** How many lines may differ, since the time grows with their square. With more, the diff replaces the whole file. */
const mostDifferent = 1000

const diffOf = (before: ConfigText, after: ConfigText): string => {
  if (before.sha256 === after.sha256) return ""
  const names = [`a/${before.file}`, `b/${after.file}`] as const
  const maxEditLength = after.text.length > most.bytes ? 0 : mostDifferent
  const options = {headerOptions: FILE_HEADERS_ONLY, maxEditLength}
  return (
    createTwoFilesPatch(...names, before.text, after.text, undefined, undefined, options) ??
    `--- ${names[0]}\n+++ ${names[1]}\n${replaceAll(before.text, after.text)}`
  )
}

const replaceAll = (before: string, after: string): string => {
  const [old, next] = [before, after].map(text => text.match(/[^\n]*\n|[^\n]+$/g) ?? [])
  const range = (lines: readonly string[] = []) => (lines.length === 0 ? "0,0" : `1,${lines.length}`)
  const each = (sign: string, lines: readonly string[] = []) =>
    lines.map(line => (line.endsWith("\n") ? `${sign}${line}` : `${sign}${line}\n\\ No newline at end of file\n`))
  return [`@@ -${range(old)} +${range(next)} @@\n`, ...each("-", old), ...each("+", next)].join("")
}
