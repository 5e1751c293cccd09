import {hostActor, type Item, type JournalRecord} from "../../shared/api/workroom.ts"
import type {Log} from "../../shared/log.ts"
import {messageOf, Problem} from "../../shared/problems.ts"
import type {WorkroomMark} from "./checkpoint.ts"
import {Deadlines} from "./deadlines.ts"
import {Draft, decide} from "./decide.ts"
import {type Figures, figuresOf} from "./figures.ts"
import type {Catalog} from "./store/catalog.ts"
import type {Entry, Head, Recorded} from "./store/record.ts"
import {describeCut, describeRebuilt, type Opened, parseKept, type Store, type StoreKind} from "./store/store.ts"
import {Trails} from "./trails.ts"
import {type Verification, verifyStore} from "./verify.ts"

export interface WorkroomOptions {
  readonly store: Store
  readonly authority: string
  readonly log: Log
  /** Called with records once they are durable, in their order. */
  readonly onRecorded?: (records: readonly JournalRecord[]) => void
  /** Must end before the store closes. */
  readonly beforeClose?: () => Promise<void>
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

/** Logs what the opening had to repair. */
const tell = (log: Log, {cut, rebuilt}: Omit<Opened, "catalog">, {head}: Catalog): void => {
  if (cut !== undefined) log.warn(describeCut(cut), {segment: cut.segment, record: cut.record})
  if (rebuilt !== undefined) log.warn(describeRebuilt(rebuilt, head), {record: head.seq})
}

/** A command as a caller asks for it. The workroom adds the time when it records the command. */
export type Request = Omit<Entry, "at">

interface Waiting {
  readonly request: Request
  readonly resolve: (item: Item) => void
  readonly reject: (error: unknown) => void
}

/** The highest number of records per group: a group delays the commands after it. */
const largestGroup = 512

/**
 * The team's work items. Commands that arrive while others are being stored share the next write. Each is decided
 * against the result of those before it, and answered once its record is durable.
 */
export class Workroom {
  /** The number of commands recorded and refused since the start. */
  readonly counts = {recorded: 0, refused: 0}
  readonly #options: WorkroomOptions
  readonly #now: () => number
  readonly #deadlines: Deadlines
  readonly #trails: Trails
  readonly #observers = new Set<(changed: readonly Item[]) => void>()
  #catalog: Catalog
  #waiting: Waiting[] = []
  #running: Promise<void> | undefined
  /** A write has failed, and it is unknown what is stored. */
  #isUnsettled = false
  #closed = false

  private constructor(options: WorkroomOptions, catalog: Catalog) {
    this.#options = options
    this.#now = options.now ?? Date.now
    this.#catalog = catalog
    this.#trails = new Trails(options.store)
    this.#deadlines = new Deadlines(this.#now, item => this.#tellOverdue(item))
  }

  /** Throws `workroom_damaged`, `authority_mismatch`. Logs a torn Journal that it cut and a Catalog that it rebuilt. */
  static async open(options: WorkroomOptions): Promise<Workroom> {
    const {catalog, ...news} = await options.store.open(options.authority)
    tell(options.log, news, catalog)
    const workroom = new Workroom(options, catalog)
    workroom.#deadlines.watch(catalog.items)
    return workroom
  }

  get store(): StoreKind {
    return this.#options.store.kind
  }

  get authority(): string {
    return this.#catalog.authority
  }

  get head(): Head {
    return this.#catalog.head
  }

  /** The workroom as of its last record, for a checkpoint. */
  mark(): WorkroomMark {
    const {origin, authority, head} = this.#catalog
    return {store: this.store, origin, authority, ...head, catalog: this.#catalog.text()}
  }

  /** Calls `hear` with the changed items whenever records have become durable, until the returned function is called. */
  observe(hear: (changed: readonly Item[]) => void): () => void {
    this.#observers.add(hear)
    return () => void this.#observers.delete(hear)
  }

  /** All items, in ascending order of their numbers. */
  get items(): readonly Item[] {
    return this.#catalog.items
  }

  figures(): Figures {
    return figuresOf(this.#catalog.items)
  }

  /** Throws `workroom_unknown`. */
  item(id: number): Item {
    const item = this.#catalog.get(id)
    if (item === undefined) throw new Problem("workroom_unknown", `there is no work item ${id}`)
    return item
  }

  /**
   * Resolves to the item once the command is durable. Throws `workroom_unknown`, `workroom_stale`, `workroom_state`; if
   * the store fails, `workroom_failed`, `workroom_outcome_unknown` or the database's problem; `stopping`.
   */
  run(request: Request): Promise<Item> {
    if (this.#closed) return Promise.reject(new Problem("stopping", "the Host is stopping"))
    return new Promise((resolve, reject) => {
      this.#waiting.push({request, resolve, reject})
      this.#running ??= this.#drain()
    })
  }

  /** The records of the Journal with numbers below `before`, newest first. Throws `workroom_damaged`. */
  async journal(before: number, limit: number): Promise<readonly JournalRecord[]> {
    const last = Math.min(this.head.seq, before - 1)
    const first = Math.max(1, last - limit + 1)
    const texts: string[] = []
    if (last >= first) await this.#options.store.read(first, last, text => texts.push(text))
    return texts.reverse().map(parseKept)
  }

  /** The records of an item with numbers below `before`, newest first. Throws `workroom_unknown`. */
  async journalOf(id: number, before: number, limit: number): Promise<readonly JournalRecord[]> {
    const records = await this.#trails.of(this.item(id).id, this.head.seq)
    return records
      .filter(({seq}) => seq < before)
      .slice(-limit)
      .reverse()
  }

  /** Compares the Journal's projection with the Catalogs, in memory and stored, by bytes. Throws `workroom_damaged`. */
  async verify(): Promise<Verification> {
    return verifyStore(this.#options.store, this.#catalog)
  }

  /** Stores the pending commands, then closes the store. */
  async close(): Promise<void> {
    this.#closed = true
    this.#deadlines.stop()
    await this.#running
    await this.#options.beforeClose?.()
    await this.#options.store.close(this.#catalog)
  }

  async #drain(): Promise<void> {
    // Commands of the same turn share a write.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, largestGroup)
      await this.#store(group).catch(error => {
        for (const {reject} of group) reject(error)
      })
    }
    this.#running = undefined
  }

  async #store(group: readonly Waiting[]): Promise<void> {
    if (this.#isUnsettled) await this.#reopen()
    const draft = new Draft(this.#catalog)
    const records: Recorded[] = []
    const answers: (() => void)[] = []
    const at = new Date(this.#now()).toISOString()
    for (const {request, resolve, reject} of group) {
      const decision = decide(draft, {...request, at})
      if (decision.is === "refused") {
        this.counts.refused++
        answers.push(() => reject(decision.problem))
        continue
      }
      const {item} = decision
      answers.push(() => resolve(item))
      if (decision.is === "repeated") continue
      draft.take(decision.recorded, item)
      records.push(decision.recorded)
    }
    if (records.length > 0) await this.#append(draft, records)
    for (const answer of answers) answer()
    this.#deadlines.watch(draft.changed)
  }

  async #append(draft: Draft, records: readonly Recorded[]): Promise<void> {
    const {store, onRecorded} = this.#options
    try {
      await store.append({before: this.head, after: draft.head, records, items: draft.changed})
    } catch (cause) {
      this.#isUnsettled = true
      throw await this.#explain(cause)
    }
    this.#catalog.advance(draft.head, draft.changed)
    this.counts.recorded += records.length
    store.keep(this.#catalog)
    const recorded = records.map(({record}) => record)
    this.#trails.add(recorded)
    onRecorded?.(recorded)
    for (const hear of this.#observers) hear(draft.changed)
  }

  /** A failed write is never repeated: the store is reopened and says what it has. */
  async #reopen(): Promise<void> {
    const {store, authority, log} = this.#options
    const {catalog, ...news} = await store.open(authority, this.#catalog)
    tell(log, news, catalog)
    this.#catalog = catalog
    this.#isUnsettled = false
    this.#deadlines.watch(catalog.items)
  }

  async #explain(cause: unknown): Promise<Problem> {
    this.#options.log.error(`the Host could not write the workroom's Journal: ${messageOf(cause)}`, {error: cause})
    const isSettled = await this.#reopen().then(
      () => true,
      error => this.#options.log.error(`the workroom's store does not reopen: ${messageOf(error)}`, {error}),
    )
    if (cause instanceof Problem) return cause
    const code = isSettled === true ? "workroom_failed" : "workroom_outcome_unknown"
    return new Problem(code, `the Journal could not be written: ${messageOf(cause)}`, {cause})
  }

  /** Records that a deadline has passed. If it was met or moved meanwhile, the command is refused, as it should be. */
  #tellOverdue({id, revision, blocker}: Item): void {
    if (blocker === null || blocker.deadline === null) return
    const command = {is: "overdue", expectedRevision: revision, deadline: blocker.deadline} as const
    this.run({actor: hostActor, item: id, command}).catch(error => {
      if (!(error instanceof Problem) || error.status >= 500) this.#deadlines.again()
    })
  }
}
