import {readFile} from "node:fs/promises"
import {dirname} from "node:path"
import type {Job} from "../../../shared/api/scheduled/jobs.ts"
import type {Log} from "../../../shared/log.ts"
import {formatIssue, Problem, toProblem} from "../../../shared/problems.ts"
import {isMissing, lookAt, makePrivateFolder, writeFileAtomic} from "../../runtime/files.ts"
import {repeat} from "../../runtime/flow/periodic.ts"
import {Turns} from "../../runtime/flow/turns.ts"
import {formatJobFile, type JobFileContent, parseJobFile} from "./job-file.ts"

/** The file's name for people. */
export const jobFileName = "data/schedule-jobs.json"

/** How often the Host checks the file, in milliseconds. It applies a change once the file has been `quiet` for as long. */
const every = 1000
const quiet = 250

/** Reads the job file; undefined if there is none. Throws `jobs_invalid`. */
export const readJobFile = async (path: string): Promise<JobFileContent | undefined> => {
  const bytes = await readFile(path).catch(error => {
    if (isMissing(error)) return undefined
    throw toProblem(error, "jobs_invalid")
  })
  return bytes === undefined ? undefined : parseJobFile(jobFileName, bytes)
}

/** Writes the job file, durable when it resolves. Throws `jobs_invalid`, `state_unwritable`. */
export const writeJobFile = async (
  path: string,
  authority: string | undefined,
  jobs: readonly Job[],
): Promise<JobFileContent> => {
  const content = parseJobFile(jobFileName, formatJobFile(authority, jobs))
  await makePrivateFolder(dirname(path))
  await writeFileAtomic(path, content.text)
  return content
}

/** Why the Host rejects the current file. */
export interface RefusedFile {
  readonly at: number
  readonly problem: Problem
}

export interface JobStoreOptions {
  readonly path: string
  readonly authority: string
  readonly log: Log
  /** Whether a missing file is written again, because the database has the jobs too. */
  readonly isExport: boolean
  /** Applies the jobs of the file. Resolves once that is durable. */
  readonly apply: (content: JobFileContent) => Promise<void>
}

/**
 * The jobs of a running Host, and their file. It notices every change of the file, by hand or by command. It rejects an
 * invalid file without changing it, and the current jobs keep running.
 */
export class JobStore {
  readonly #options: JobStoreOptions
  #content: JobFileContent | undefined
  #refused: RefusedFile | undefined
  /** The signature of the file when it was applied or rejected, and at the last check. */
  #known = ""
  #seen = ""
  #end = () => {}
  #settling: NodeJS.Timeout | undefined
  readonly #turns = new Turns()

  constructor(options: JobStoreOptions, content: JobFileContent | undefined) {
    this.#options = options
    this.#content = content
  }

  get content(): JobFileContent | undefined {
    return this.#content
  }

  get refused(): RefusedFile | undefined {
    return this.#refused
  }

  watch(): void {
    this.#end = repeat(every, () => {
      if (this.#settling === undefined) this.#check()
    })
  }

  async close(): Promise<void> {
    this.#end()
    clearTimeout(this.#settling)
    await this.#queue(async () => {})
  }

  /** Changes the current file's jobs, durably. Throws what `change` throws, and `jobs_invalid` for file or result. */
  change(change: (jobs: readonly Job[]) => readonly Job[]): Promise<void> {
    return this.#queue(async () => {
      const {path, authority} = this.#options
      const now = await this.#read()
      const content = await writeJobFile(path, authority, change(now?.jobs ?? []))
      await this.#take(content)
    })
  }

  /** Changes run one after the other. */
  #queue(work: () => Promise<void>): Promise<void> {
    return this.#turns.take(jobFileName, work)
  }

  #check(): void {
    this.#settling = undefined
    const seen = signatureOf(this.#options.path)
    const isStill = seen === this.#seen
    this.#seen = seen
    if (seen === this.#known) return
    if (!isStill) {
      this.#settling = setTimeout(() => this.#check(), quiet).unref()
      return
    }
    this.#known = seen
    void this.#queue(() => this.#look())
  }

  async #look(): Promise<void> {
    const {log} = this.#options
    try {
      const content = await this.#read()
      const isNew = content !== undefined && content.sha256 !== this.#content?.sha256
      if (content !== undefined && isNew) await this.#adopt(content)
      if (isNew) log.info(`${jobFileName} was changed: ${content.jobs.length} jobs`)
      this.#refused = undefined
    } catch (error) {
      const problem = toProblem(error, "jobs_invalid")
      this.#refused = {at: Date.now(), problem}
      const found = problem.issues.length === 0 ? problem.message : problem.issues.map(formatIssue).join("\n")
      log.error(`${jobFileName} is not valid, so the Host keeps the current jobs: ${found}`, {code: problem.code})
    }
  }

  /** Reads the current file. Throws if it may not replace the running jobs. */
  async #read(): Promise<JobFileContent | undefined> {
    const {path, authority, isExport} = this.#options
    const content = await readJobFile(path)
    if (content === undefined && this.#content !== undefined) {
      if (isExport) return writeJobFile(path, authority, this.#content.jobs)
      throw missingFile(authority)
    }
    if (content !== undefined) requireAuthority(content, authority, this.#content !== undefined)
    return content
  }

  /** Applies a file, and adds the authority to one that a user wrote. */
  async #adopt(content: JobFileContent): Promise<void> {
    const {path, authority} = this.#options
    await this.#take(content.authority === authority ? content : await writeJobFile(path, authority, content.jobs))
  }

  async #take(content: JobFileContent): Promise<void> {
    await this.#options.apply(content)
    this.#content = content
    this.#refused = undefined
  }
}

const signatureOf = (path: string): string => {
  const {identity, size, changedAt} = lookAt(path) ?? {}
  return `${identity} ${size} ${changedAt}`
}

/** The project had jobs, and their file is missing: that is not the same as no jobs. */
export const missingFile = (authority: string): Problem =>
  new Problem("jobs_invalid", `${jobFileName} is missing: this project had one, so it was lost or removed`, {
    hint: `Restore it from the same backup as the database. If the project needs no jobs any more, put {"version":1,"authority":"${authority}","jobs":[]} there.`,
  })

/** A file without an authority is a user's. svc adopts it if the project had none before; here it had one. */
export const unstampedFile = (authority: string): Problem =>
  new Problem("authority_mismatch", `${jobFileName} names no authority, but the previous file did`, {
    hint: `Restore the file, or put "authority": "${authority}" into it if its jobs are this project's.`,
  })

/** The hint for a job file that is the only part with another authority than the project's. */
export const foreignFileHint = (authority: string): string =>
  `Restore everything from one checkpoint. To keep the jobs of this ${jobFileName}, put "authority": "${authority}" into it.`

/** Throws `authority_mismatch`. */
export const requireAuthority = (content: JobFileContent, authority: string, hadFile: boolean): void => {
  if (content.authority === authority || (content.authority === undefined && !hadFile)) return
  if (content.authority === undefined) throw unstampedFile(authority)
  throw new Problem(
    "authority_mismatch",
    `the project has the authority ${authority}, ${jobFileName} names ${content.authority}: they come from two different histories`,
    {hint: foreignFileHint(authority)},
  )
}
