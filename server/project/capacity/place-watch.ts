import {dirname, isAbsolute, join} from "node:path"
import type {Rescued} from "../../../shared/api/database.ts"
import type {Log} from "../../../shared/log.ts"
import {isProblem, messageOf, Problem} from "../../../shared/problems.ts"
import type {Database} from "../../database/database.ts"
import type {DatabaseFailure} from "../../database/failing.ts"
import {makePrivateFolderSync} from "../../runtime/files.ts"
import {repeat} from "../../runtime/flow/periodic.ts"
import type {ProjectPaths} from "../../runtime/project.ts"

/** The interval between two checks, and between two log lines that ask for a rescue, in milliseconds. */
const lookEvery = 1000
const repeatEvery = 60_000

export interface PlaceWatchOptions {
  readonly database: Database
  readonly paths: ProjectPaths
  readonly log: Log
  /** Called once, when the Host can store nothing any more and must admit no events. */
  readonly onReplaced: () => void
  /** Called once, when another process may hold the project. */
  readonly onLockLost: () => void
}

/**
 * Checks that the database and the lock are as the Host left them. A lost lock ends the Host with 75. With a
 * lost database the Host keeps running with ingress paused: only it has the data, until a rescue has written it.
 */
export class PlaceWatch {
  readonly #options: PlaceWatchOptions
  #end = () => {}
  #unobserve = () => {}
  #rescued: Rescued | undefined
  #toldAt = Number.NEGATIVE_INFINITY

  constructor(options: PlaceWatchOptions) {
    this.#options = options
  }

  start(): void {
    const {state} = this.#options.database
    if (state.is === "initialized" && state.failure !== undefined) this.#heard(state.failure)
    this.#unobserve = this.#options.database.observe({failing: failure => this.#heard(failure)})
    this.#end = repeat(lookEvery, () => this.#look())
    this.#look()
  }

  stop(): void {
    this.#end()
    this.#unobserve()
  }

  /**
   * Writes the Host's data into a new file in `data/` or at an absolute path, and blocks the event loop until it is done. A
   * second request without a path returns the result of the first. Throws `rescue_not_needed`, `rescue_failed`.
   */
  async rescue(to?: string): Promise<Rescued> {
    if (to === undefined && this.#rescued !== undefined) return this.#rescued
    const target = to ?? this.#targetIn(join(this.#options.paths.project, "data"))
    this.#requireFree(target)
    if (to === undefined) makePrivateFolderSync(dirname(target))
    return this.#write(target)
  }

  /** Rescues a lost database. Call it before the Host stops and closes its files. Never rejects; logs a failure. */
  async rescueBeforeEnd(): Promise<void> {
    const {paths, log} = this.#options
    if (this.#rescued !== undefined || !this.#isLost()) return
    const failures: string[] = []
    log.warn("before it exits, the Host writes the data of the lost database into a new file")
    for (const folder of [join(paths.project, "data"), paths.state]) {
      const target = this.#targetIn(folder)
      try {
        makePrivateFolderSync(dirname(target))
        await this.#write(target)
        return
      } catch (error) {
        if (isProblem(error, "rescue_not_needed")) return
        failures.push(messageOf(error))
      }
    }
    log.error(`NOT RESCUED: the data of ${this.#file} that only this process had is lost. ${failures.join("; ")}`)
  }

  async #write(target: string): Promise<Rescued> {
    const {database, log} = this.#options
    const rescued = {...(await database.rescueTo(target)), database: this.#file}
    this.#rescued = rescued
    log.warn(`rescued ${rescued.rows} rows, ${rescued.size} bytes, into ${rescued.path}; ${afterwards}`)
    return rescued
  }

  get #file(): string {
    const {location} = this.#options.database
    return location.dialect === "sqlite" ? location.file : ""
  }

  /** Returns whether the database is lost. A lost lock counts too, because it hides a lost database. */
  #isLost(): boolean {
    const {database} = this.#options
    return database.inspectPlace() !== undefined && database.location.dialect === "sqlite"
  }

  #targetIn(folder: string): string {
    const time = new Date().toISOString().replace(/[-:]|\.\d+/g, "")
    return join(folder, `rescued-${time}-${process.pid}.sqlite`)
  }

  /** Throws for the old path and its log files: SQLite would apply a leftover log to a new file of that name. */
  #requireFree(target: string): void {
    const isBeside = ["", "-wal", "-shm", "-journal"].some(end => target === `${this.#file}${end}`)
    if (!isAbsolute(target) || isBeside)
      throw new Problem("request_invalid", `cannot rescue into ${target}: name a new file by its absolute path`)
  }

  #look(): void {
    const {database, log} = this.#options
    const lost = database.inspectPlace()
    const now = performance.now()
    if (!isProblem(lost, "database_replaced") || this.#rescued !== undefined || now - this.#toldAt < repeatEvery) return
    this.#toldAt = now
    log.error(`${lost.message}. The Host keeps running, because only it has the data: ${lost.hint}`)
  }

  #heard({code, message}: DatabaseFailure): void {
    const {log, onReplaced, onLockLost} = this.#options
    if (code === "database_replaced") {
      onReplaced()
      // Outside of the commit that found the loss.
      setImmediate(() => this.#look())
    }
    if (code !== "lock_lost") return
    log.error(`${message}: the Host stops acknowledging and sending, and exits`)
    onLockLost()
  }
}

const afterwards = "stop the Host and replace the database by this file (svc database rescue prints the commands)"
