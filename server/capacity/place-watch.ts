import {dirname, isAbsolute, join} from "node:path"
import type {Rescued} from "../../shared/api/database.ts"
import type {Log} from "../../shared/log.ts"
import {isProblem, messageOf, Problem} from "../../shared/problems.ts"
import type {Database} from "../database/database.ts"
import type {DatabaseFailure} from "../database/failing.ts"
import {makePrivateFolderSync} from "../runtime/files.ts"
import type {ProjectPaths} from "../runtime/project.ts"

/** How often an idle Host looks, and how often the log repeats that a rescue is due, in milliseconds. */
const lookEvery = 1000
const repeatEvery = 60_000

export interface PlaceWatchOptions {
  readonly database: Database
  readonly paths: ProjectPaths
  readonly log: Log
  /** Called once, when nothing can be stored any more: nothing may come in. */
  readonly onReplaced: () => void
  /** Called once: another process may hold the project now. */
  readonly onLockLost: () => void
}

/**
 * Watches that database and lock are the files that the Host has open. A lock that is lost ends the Host with 75. A database that is
 * lost leaves it up, with ingress paused: it alone holds the data, until a rescue has written them.
 */
export class PlaceWatch {
  readonly #options: PlaceWatchOptions
  #timer: NodeJS.Timeout | undefined
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
    this.#timer = setInterval(() => this.#look(), lookEvery)
    this.#timer.unref()
    this.#look()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#unobserve()
  }

  /**
   * Writes what the Host holds into a new file: in `data/`, or at an absolute path. The event loop stands still meanwhile. A second
   * request without a path gets the answer of the first. Throws `rescue_not_needed`, `rescue_failed`.
   */
  async rescue(to?: string): Promise<Rescued> {
    const {paths} = this.#options
    if (to === undefined && this.#rescued !== undefined) return this.#rescued
    const target = to ?? this.#targetIn(join(paths.project, "data"))
    this.#requireFree(target)
    if (to === undefined) makePrivateFolderSync(dirname(target))
    return this.#write(target)
  }

  /** Call it before the Host stops: its files are let go of then. Never rejects: what could not be written is logged. */
  async rescueBeforeEnd(): Promise<void> {
    const {paths, log} = this.#options
    if (this.#rescued !== undefined || !this.#isLost()) return
    const failures: string[] = []
    log.warn("the Host writes what only it holds of the database into a new file before it ends")
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
    log.error(`NOT RESCUED: what only this process held of ${this.#file} is lost with it. ${failures.join("; ")}`)
  }

  async #write(target: string): Promise<Rescued> {
    const {database, log} = this.#options
    const rescued = {...(await database.rescueTo(target)), database: this.#file}
    this.#rescued = rescued
    log.warn(`the rescue is written: ${rescued.rows} rows, ${rescued.size} bytes in ${rescued.path}; ${afterwards}`)
    return rescued
  }

  get #file(): string {
    const {location} = this.#options.database
    return location.dialect === "sqlite" ? location.file : ""
  }

  /** A lock that is lost hides that the database is lost too. */
  #isLost(): boolean {
    const {database} = this.#options
    return database.inspectPlace() !== undefined && database.location.dialect === "sqlite"
  }

  #targetIn(folder: string): string {
    const time = new Date().toISOString().replace(/[-:]|\.\d+/g, "")
    return join(folder, `rescued-${time}-${process.pid}.sqlite`)
  }

  /** A log that still stands beside the old name would be taken into a file of that name. */
  #requireFree(target: string): void {
    const isBeside = ["", "-wal", "-shm", "-journal"].some(end => target === `${this.#file}${end}`)
    if (!isAbsolute(target) || isBeside)
      throw new Problem("request_invalid", `${target} is no place for a rescue: name a new file by its absolute path`)
  }

  #look(): void {
    const {database, log} = this.#options
    const lost = database.inspectPlace()
    const now = performance.now()
    if (!isProblem(lost, "database_replaced") || this.#rescued !== undefined || now - this.#toldAt < repeatEvery) return
    this.#toldAt = now
    log.error(`${lost.message}. The Host stays up, since it alone holds the data: ${lost.hint}`)
  }

  #heard({code, message}: DatabaseFailure): void {
    const {log, onReplaced, onLockLost} = this.#options
    if (code === "database_replaced") {
      onReplaced()
      // Not within the commit that has found it.
      setImmediate(() => this.#look())
    }
    if (code !== "lock_lost") return
    log.error(`${message}: the Host stops acknowledging and sending, and ends`)
    onLockLost()
  }
}

const afterwards = "stop the Host, and put it in the place of the database (svc database rescue prints the commands)"
