import {notReadyAfter} from "../../../shared/api/configuration/unready.ts"
import {type Issue, messageOf, Problem, toProblem} from "../../../shared/problems.ts"
import {namesIn} from "../../config/expand.ts"
import {readConfigText, readEnvironment} from "../../config/load.ts"
import {schemaOf} from "../../database/database.ts"
import {readStorage} from "../../database/upkeep/compact.ts"
import {readApplied} from "../../generation/plugins/plugin-migrations.ts"
import {nextEnvironment} from "../../project/next-environment.ts"
import {requireOneHistory} from "../../project/one-history.ts"
import {locationKey} from "../../project/settings.ts"
import {StepOutput} from "../../recovery/release/verification/output.ts"
import {makePrivateFolder, removeFolder} from "../../runtime/files.ts"
import {Mask} from "../../runtime/logs/mask.ts"
import {runProgram} from "../../runtime/process/program.ts"
import type {HostOptions} from "../open/host.ts"
import type {OpenProject} from "../open/open.ts"
import type {HostParts} from "../parts/create-parts.ts"
import {
  readResult,
  type TrialFiles,
  type TrialRequest,
  type TrialResult,
  trialFiles,
  trialFolder,
  writeRequest,
} from "./files.ts"
import {requireMemory, requireSpace} from "./room.ts"

/** The time limit of a start, in seconds; `SVC_TRIAL_LIMIT` sets another. A request must get its answer within 60 s. */
const defaultLimit = 50

/** The disk space of a trial beyond the copy of the database, in bytes: compiled plugins and an empty database. */
const scratchSpace = 32 * 1024 ** 2

export interface Trials {
  /**
   * Tries the next start in a separate process, with the current code and configuration. Resolves if it would commit a
   * generation, to what would not be ready (`unreadyIn`). Throws `trial_failed` with the issues, `not_tried` with what a
   * trial needs, `conflict` while another one runs, and `stopping`. The failure is logged and kept as the newest one.
   */
  run(reason: string, isReady: boolean): Promise<readonly string[]>
  stop(): Promise<void>
}

export interface TrialsOptions {
  readonly host: HostOptions
  readonly opened: Pick<OpenProject, "paths" | "boot" | "database">
  readonly parts: Pick<HostParts, "generations" | "workroom">
}

/** The code is loaded at startup: svc's files may have changed when it is needed. */
export const createTrials = (options: TrialsOptions): Trials => {
  const {host, opened, parts} = options
  const environment = nextEnvironment(opened.paths.project, host.supervisor(), process.env)
  const stopping = new AbortController()
  let running: Promise<readonly string[]> | undefined
  return {
    run: async (reason, isReady) => {
      const {nextStart: command} = host
      if (command === undefined) return []
      if (running !== undefined) throw new Problem("conflict", "another change is being tried")
      const trial = new Trial({...options, command, environment: environment(), signal: stopping.signal})
      running = trial.run(isReady)
      try {
        return await running
      } catch (error) {
        if (stopping.signal.aborted) throw new Problem("stopping", "the Host is stopping")
        const problem = toProblem(error, "trial_failed")
        parts.generations.refuse(reason, problem)
        throw problem
      } finally {
        running = undefined
      }
    },
    stop: async () => {
      stopping.abort()
      await running?.catch(() => {})
    },
  }
}

interface TrialOptions extends TrialsOptions {
  /** Starts the next process. */
  readonly command: readonly string[]
  readonly environment: Record<string, string>
  readonly signal: AbortSignal
}

type Success = Extract<TrialResult, {ok: true}>

class Trial {
  readonly #options: TrialOptions
  readonly #files: TrialFiles
  #limit = defaultLimit

  constructor(options: TrialOptions) {
    this.#options = options
    this.#files = trialFiles(trialFolder(options.opened.paths))
  }

  async run(isReady: boolean): Promise<readonly string[]> {
    const {folder} = this.#files
    const settings = await this.#variables()
    this.#limit = positive(settings.SVC_TRIAL_LIMIT) ?? defaultLimit
    await requireMemory(positive(settings.SVC_TRIAL_MEMORY))
    await requireSpace(this.#options.opened.paths.temporary, scratchSpace, "a trial")
    // A killed Host may have left one.
    await removeFolder(folder)
    await makePrivateFolder(folder)
    try {
      return await this.#try(isReady)
    } finally {
      await removeFolder(folder)
    }
  }

  async #try(isReady: boolean): Promise<readonly string[]> {
    const {database, boot, paths} = this.#options.opened
    const ends = performance.now() + this.#limit * 1000
    await requireOneHistory({paths, config: boot.config, database}).catch(cause => {
      throw failureOf(toProblem(cause, "authority_mismatch"))
    })
    const found = await this.#start(false, ends)
    const {unready, untried, isSameDatabase} = found
    if (isSameDatabase && (await this.#isMigrated(found))) {
      if (database.location.dialect === "sqlite") {
        await this.#copy()
        await this.#start(true, ends)
      } else untried.push("the migrations, since the database is remote")
    }
    if (unready.length > 0 && isReady) throw new Problem("trial_failed", notReadyAfter(unready))
    if (untried.length > 0)
      throw new Problem("not_tried", `the start succeeded, but the trial left out ${untried.join("; ")}`)
    return unready
  }

  /** Whether the start would change the database or refuse its content. */
  async #isMigrated({newestSchema, migrations}: Success): Promise<boolean> {
    const {database} = this.#options.opened
    if (schemaOf(database) !== newestSchema) return true
    const applied = new Map((await readApplied(database)).map(({plugin, migrations: names}) => [plugin, names]))
    return migrations.some(({plugin, names}) => {
      const had = applied.get(plugin) ?? []
      return had.length !== names.length || had.some(name => !names.includes(name))
    })
  }

  async #copy(): Promise<void> {
    const {database} = this.#options.opened
    if (database.location.dialect !== "sqlite") return
    const {file, log} = await readStorage(database.location.file)
    // A migration may rewrite everything.
    await requireSpace(this.#files.folder, 2 * (file + log), "a trial of the migrations")
    await database.snapshotTo(this.#files.copy, this.#options.signal).catch(cause => {
      throw new Problem("not_tried", `the migrations: ${messageOf(cause)}`, {cause})
    })
  }

  /** Runs one process, until `ends`. Throws `trial_failed`. */
  async #start(hasCopy: boolean, ends: number): Promise<Success> {
    const {folder, result: last, output} = this.#files
    await removeFolder(last)
    await writeRequest(this.#files, await this.#request(hasCopy))
    const {command, environment, signal} = this.#options
    const printed = new StepOutput(output, await this.#mask())
    let tail = ""
    const end = await runProgram([...command, "--once", "--trial", folder], {
      folder: process.cwd(),
      environment,
      limit: Math.max(0, ends - performance.now()),
      signal,
      onText: printed.add,
    }).finally(() => {
      tail = printed.end().tail
    })
    signal.throwIfAborted()
    const result = await readResult(this.#files)
    if (result?.ok === true) return result
    if (end.isTooLate) throw tooLate(this.#limit)
    if (result?.ok === false) throw failureOf({...result, message: result.detail})
    throw new Problem("trial_failed", `the start ended with exit code ${end.code ?? "none"}`, {
      issues: outputIssues(this.#options.host.logs.scrub(tail)),
    })
  }

  async #request(hasCopy: boolean): Promise<Omit<TrialRequest, "schema">> {
    const {opened, parts} = this.#options
    const {generations} = parts
    const {workroom} = parts.workroom
    const {host, port} = opened.boot.config.http
    const {pin} = generations.running
    return {
      address: {host, port},
      database: locationKey(opened.database.location),
      workroom: {store: workroom.store, records: workroom.head.seq},
      pin: pin === undefined ? null : {...pin, config: (await generations.history.configOf(pin.number)).config},
      hasCopy,
    }
  }

  /** The variables of the next start. */
  async #variables(): Promise<Readonly<Record<string, string | undefined>>> {
    const {host, opened, environment} = this.#options
    return (await readEnvironment(opened.paths.project, host.environment ?? host.mode, environment)).variables
  }

  /** Masks every value that the configuration takes from a variable. */
  async #mask(): Promise<Mask> {
    const variables = await this.#variables()
    const {text} = await readConfigText(this.#options.opened.paths.config).catch(() => ({text: ""}))
    const mask = new Mask()
    mask.hide(namesIn(text).flatMap(name => variables[name] ?? []))
    return mask
  }
}

/** The last lines of output of a process that reported no result. */
const outputIssues = (tail: string): readonly Issue[] => {
  const lines = tail.split("\n").filter(line => line.trim() !== "")
  return lines.slice(-8).map(message => ({file: "output", line: 1, column: 1, path: "", message}))
}

/** The code of the cause goes into the message: the failure itself is that of a trial. */
const failureOf = ({code, message, hint, issues}: Found): Problem =>
  code === "not_tried" || code === "trial_failed"
    ? new Problem(code, message, {issues, ...(code === "trial_failed" ? {hint} : {})})
    : new Problem("trial_failed", `the next start would fail (${code}): ${message}`, {hint, issues})

/** A `Problem` of this process or of the trial's. */
interface Found extends Pick<Problem, "message" | "hint" | "issues"> {
  readonly code: string
}

const tooLate = (limit: number): Problem =>
  new Problem("trial_failed", `the next start did not end within ${limit} s`, {
    hint: "Look for what hangs; SVC_TRIAL_LIMIT sets another limit in seconds, and --force restarts without a trial.",
  })

const positive = (text: string | undefined): number | undefined => {
  const number = Number(text)
  return text !== undefined && number > 0 ? number : undefined
}
