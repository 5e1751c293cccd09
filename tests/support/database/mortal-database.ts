import type {Database, Row, Statement} from "../../../server/database/database.ts"
import {Problem} from "../../../shared/problems.ts"

/** How the process dies at a write: before it is carried out, or after, with its answer lost. */
export type Death = "before" | "after"

/** The database of a process until it dies: later requests do nothing, earlier ones are carried out as by a disk. */
export class MortalDatabase implements Database {
  readonly location
  readonly applied = []
  readonly #database: Database
  readonly #running = new Set<Promise<unknown>>()
  readonly died: Promise<void>
  #dead = false
  #tell: () => void = () => {}
  #fate: {writes: number; readonly death: Death} | undefined
  #lapse: {writes: number; readonly death: Death} | undefined

  constructor(database: Database) {
    this.#database = database
    this.location = database.location
    this.died = new Promise(resolve => {
      this.#tell = resolve
    })
  }

  get state() {
    return this.#database.state
  }

  get commits() {
    return this.#database.commits
  }

  bringUp(...args: Parameters<Database["bringUp"]>) {
    return this.#database.bringUp(...args)
  }

  purge() {
    return this.#database.purge()
  }

  get isDead(): boolean {
    return this.#dead
  }

  /** The process dies at the write after this many writes. */
  doom(writes: number, death: Death): void {
    this.#fate = {writes, death}
  }

  /** The write after this many has an unknown outcome; the process lives on. */
  forget(writes: number, death: Death): void {
    this.#lapse = {writes, death}
  }

  /** Whether the write with the unknown outcome has happened. */
  get hasLapsed(): boolean {
    return this.#lapse !== undefined && this.#lapse.writes < 0
  }

  /** The process dies now; resolves when none of its requests is in progress. */
  async die(): Promise<void> {
    this.#end()
    await Promise.allSettled(this.#running)
  }

  async read(sql: string, args?: Statement["args"]): Promise<readonly Row[]> {
    return this.#answer(this.#dead ? undefined : this.#database.read(sql, args))
  }

  async write(batch: readonly Statement[]) {
    const lapse = this.#lapse
    if (lapse !== undefined && lapse.writes-- === 0) {
      if (lapse.death === "after") await this.#answer(this.#database.write(batch))
      throw new Problem("database_outcome_unknown", "its answer was lost")
    }
    const fate = this.#fate
    const isLast = fate !== undefined && fate.writes-- === 0
    if (isLast && fate.death === "before") this.#end()
    const writing = this.#dead ? undefined : this.#database.write(batch)
    if (isLast) this.#end()
    return this.#answer(writing)
  }

  observe() {
    return () => {}
  }

  migrate(): Promise<void> {
    throw new Error("it is migrated")
  }

  giveBack(): Promise<void> {
    throw new Error("this stand-in does not reclaim space")
  }

  async truncateLog(): Promise<void> {}

  check(): Promise<never> {
    throw new Error("no checks here")
  }

  snapshotTo(): Promise<void> {
    throw new Error("no snapshots here")
  }

  snapshotPoint(): Promise<never> {
    throw new Error("no snapshots here")
  }

  inspectPlace() {
    return undefined
  }

  rescueTo(): Promise<never> {
    throw new Error("this stand-in does not rescue")
  }

  async close(): Promise<void> {}

  #end(): void {
    this.#dead = true
    this.#tell()
  }

  async #answer<T>(work: Promise<T> | undefined): Promise<T> {
    if (work === undefined) return new Promise(() => {})
    this.#running.add(work)
    const settled = await work.then(
      value => () => value,
      error => () => {
        throw error
      },
    )
    this.#running.delete(work)
    return this.#dead ? new Promise(() => {}) : settled()
  }
}
