import {setTimeout as sleep} from "node:timers/promises"
import type {Compacted, CompactTask, DatabaseInfo} from "../../../shared/api/database.ts"
import type {RetentionSettings} from "../../../shared/config/config.ts"
import {messageOf, Problem, toProblem} from "../../../shared/problems.ts"
import {type Database, schemaOf} from "../../database/database.ts"
import {readDropped} from "../../database/retention/retention.ts"
import {readStorage} from "../../database/upkeep/compact.ts"
import {countTables} from "../../database/upkeep/maintenance.ts"
import {readUsage} from "../../outbox/files/rows.ts"
import {leastFree} from "../../runtime/files.ts"
import {Periodic} from "../../runtime/flow/periodic.ts"
import {uuid} from "../../runtime/uuid.ts"
import {type DiskLimit, resumeAt} from "./disk-watch.ts"
import {type Growth, type Pages, readGrowth, readPages, sample} from "./growth.ts"
import {Retention, type RetentionOptions, retentionParts} from "./retention.ts"

/** How many pages one step returns to the disk; writers wait for a step. */
const step = 64

export interface CapacityOptions extends RetentionOptions {
  readonly disk: DiskLimit
  /** `files.quota`, in MiB. */
  readonly fileQuota: () => number
}

/** Keeps a running Host from filling its disk: growth, retention and compaction of the database. */
export class Capacity {
  readonly retention: Retention
  readonly #options: CapacityOptions
  readonly #samples: Periodic
  #compacting: Promise<void> | undefined
  #task: CompactTask | null = null
  #isStopping = false

  constructor(options: CapacityOptions) {
    const {database, log} = options
    this.#options = options
    this.retention = new Retention(options)
    this.#samples = new Periodic(
      600_000,
      () => sample(database, Date.now()),
      error => log.debug(`could not record the size of the database: ${messageOf(error)}`),
    )
  }

  start(): void {
    void this.#samples.run()
    this.#samples.start()
    this.retention.start()
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all([this.#samples.stop(), this.retention.stop(), this.#compacting])
  }

  info(tables: boolean): Promise<DatabaseInfo> {
    const {database, disk, settings, fileQuota} = this.#options
    return readInfo(database, disk, {retention: settings(), fileQuota: fileQuota()}, tables)
  }

  /** The running or last compaction; null before the first. */
  get task(): CompactTask | null {
    return this.#task
  }

  /** Resolves to the most that `begin` would return to the disk. Throws `compact_unavailable`. */
  async plan(): Promise<Compacted> {
    const {used, unused} = await this.#requireIncremental()
    return {dryRun: true, dropped: 0, before: used + unused, after: used}
  }

  /**
   * Starts a compaction: it applies retention, then returns unused space in the file to the disk in small steps. `task` has
   * the progress. Throws `compact_busy`, and `compact_unavailable` if a running Host cannot compact this file.
   */
  async begin(): Promise<CompactTask> {
    const pages = await this.#requireIncremental()
    if (this.#task?.state === "running") throw new Problem("compact_busy", `${this.#task.step} is under way`)
    const task: CompactTask = {
      id: uuid(),
      state: "running",
      step: "deleting old rows",
      done: 0,
      total: 0,
      result: null,
      problem: null,
    }
    this.#task = task
    this.#compacting = this.#compact(pages.used + pages.unused).then(
      result => {
        this.#note({state: "done", result})
      },
      error => {
        const {code, message, hint} = toProblem(error, "database_failed")
        this.#note({state: "failed", problem: {code, detail: message, hint}})
        this.#options.log.warn(`could not compact the database: ${message}`)
      },
    )
    return task
  }

  #note(change: Partial<CompactTask>): void {
    if (this.#task !== null) this.#task = {...this.#task, ...change}
  }

  async #compact(before: number): Promise<Compacted> {
    const {database, log} = this.#options
    const {unhandled: _, ...deleted} = await this.retention.sweep(Date.now(), done => this.#note({done}))
    const dropped = Object.values(deleted).reduce((sum, rows) => sum + rows, 0)
    const total = (await readPages(database)).unused
    this.#note({step: "returning space", done: 0, total})
    for (let left = total; left > 0; ) {
      if (this.#isStopping) throw new Problem("stopping", "the Host is stopping")
      const began = performance.now()
      await database.giveBack(step)
      const {unused} = await readPages(database)
      if (unused >= left) break
      left = unused
      // Rows deleted during the compaction add pages, which are returned too.
      this.#note({done: Math.max(0, total - left)})
      await sleep((performance.now() - began) * 3)
    }
    await database.truncateLog()
    const {used, unused} = await readPages(database)
    const after = used + unused
    log.info("compacted the database", {before, after})
    return {dryRun: false, dropped, before, after}
  }

  async #requireIncremental(): Promise<Pages> {
    const {database} = this.#options
    if (database.location.dialect !== "sqlite")
      throw new Problem("compact_unavailable", "svc cannot compact a remote database; its server does that")
    const pages = await readPages(database)
    if (!pages.isIncremental) throw new Problem("compact_unavailable", "this file cannot shrink while it is in use")
    return pages
  }
}

export const readInfo = async (
  database: Database,
  {folders, least}: DiskLimit,
  {retention: settings, fileQuota}: {readonly retention: RetentionSettings; readonly fileQuota: number},
  tables: boolean,
): Promise<DatabaseInfo> => {
  const {location} = database
  const free = await leastFree(folders)
  const growth = await readGrowth(database, Date.now())
  const dropped = await readDropped(database)
  return {
    dialect: location.dialect,
    schema: schemaOf(database),
    storage: location.dialect === "sqlite" ? await storageOf(database, location.file) : null,
    files: {...(await readUsage(database)), quota: fileQuota * 1024 ** 2},
    disk: {free, pauseBelow: least(), resumeAt: Math.ceil(resumeAt(least()))},
    growth: growth ?? null,
    daysLeft: daysUntil(free - least(), growth),
    retention: [...retentionParts, {name: "unhandled"} as const].map(({name}) => {
      const limits = name === "unhandled" ? {age: settings.unhandled, rows: null} : settings[name]
      const {rows = 0, undelivered = 0, lastAt} = dropped.get(name) ?? {}
      const at = lastAt === undefined ? null : new Date(lastAt).toISOString()
      return {part: name, age: limits.age, rows: limits.rows, dropped: rows, undelivered, lastAt: at}
    }),
    ...(tables && location.dialect === "sqlite" ? {tables: [...(await countTables(location.file))]} : {}),
  }
}

const storageOf = async (database: Database, path: string) => {
  const [{file, log}, {used, unused, isIncremental}] = await Promise.all([readStorage(path), readPages(database)])
  return {file, log, used, unused, givesBack: isIncremental}
}

const daysUntil = (left: number, growth: Growth | undefined): number | null =>
  growth === undefined || growth.bytesPerDay <= 0
    ? null
    : Math.max(0, Math.round((left / growth.bytesPerDay) * 10) / 10)
