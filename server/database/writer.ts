import {setImmediate as turn} from "node:timers/promises"
import {isProblem, messageOf, Problem} from "../../shared/problems.ts"
import {CommitMeter} from "./commit-meter.ts"
import {AnswerLost, type Engine, type Result, type Statement, StatementFailed} from "./engine.ts"

interface Pending {
  readonly statements: readonly Statement[]
  /** How many changes it stores for those who handed them over. */
  readonly changes: number
  readonly resolve: (results: readonly Result[]) => void
  readonly reject: (error: unknown) => void
}

export interface WriterHooks {
  /** Hears of every group that is stored, or may be. */
  readonly committed?: () => void
  /** Why nothing is acknowledged any more: asked before a group is stored, and before it is acknowledged. Must not throw. */
  readonly whyEnded?: () => Problem | undefined
}

/** A group takes at most so many statements, one for each change at least: a commit holds up everything else. */
const largestGroup = 1024

/** So long a group waits for more, in milliseconds. */
const longestGathering = 2

/**
 * Group commit: batches that are handed over in one turn of the event loop, in turns that follow at once, or while another group
 * is being stored, share one transaction and one fsync. Each batch stays atomic for itself: one that is refused is taken out,
 * and the rest of its group is stored without it.
 */
export class Writer {
  readonly commits = new CommitMeter()
  readonly #engine: Engine
  readonly #committed: () => void
  readonly #whyEnded: () => Problem | undefined
  #waiting: Pending[] = []
  #running: Promise<unknown> | undefined
  #committing: Promise<void> | undefined
  #held: Promise<void> | undefined

  constructor(engine: Engine, {committed = () => {}, whyEnded = () => undefined}: WriterHooks = {}) {
    this.#engine = engine
    this.#committed = committed
    this.#whyEnded = whyEnded
  }

  /** `changes` says how many a batch makes whose statements each store many rows. */
  write(statements: readonly Statement[], changes = 1): Promise<readonly Result[]> {
    // A group of nothing would still be waited for until the disk has its number.
    if (statements.length === 0) return Promise.resolve([])
    return new Promise((resolve, reject) => {
      this.#waiting.push({statements, changes, resolve, reject})
      this.#running ??= this.#drain()
    })
  }

  /** Resolves when nothing waits to be stored, and nothing is held back. */
  async idle(): Promise<void> {
    while (this.#running !== undefined || this.#held !== undefined) await (this.#running ?? this.#held)
  }

  /** Resolves once no batch is being stored; none is, until the function is called that it resolves to. */
  async hold(): Promise<() => void> {
    while (this.#held !== undefined) await this.#held
    const {promise, resolve} = Promise.withResolvers<void>()
    this.#held = promise
    await this.#committing
    return () => {
      this.#held = undefined
      resolve()
    }
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#gather()
      if (this.#held !== undefined) await this.#held
      this.#committing = this.#commit(this.#take())
      await this.#committing
    }
    this.#running = undefined
  }

  /**
   * Waits two turns of the event loop, so that requests and timers get theirs, and further turns while they bring more: a turn
   * on Node brings a few batches only. What came in a turn is handed over in the next one.
   */
  async #gather(): Promise<void> {
    const until = performance.now() + longestGathering
    let count: number
    do {
      count = this.#waiting.length
      await turn()
      await turn()
    } while (this.#waiting.length > count && performance.now() < until)
  }

  #take(): Pending[] {
    let size = 0
    let count = 0
    for (const pending of this.#waiting) {
      size += Math.max(pending.changes, pending.statements.length)
      if (count > 0 && size > largestGroup) break
      count++
    }
    return this.#waiting.splice(0, count)
  }

  async #commit(group: Pending[]): Promise<void> {
    if (group.length === 0 || this.#refuse(group)) return
    try {
      const statements = group.flatMap(pending => pending.statements)
      const results = await this.commits.measure(changesOf(group), () => this.#engine.commit(statements))
      // It is stored, but perhaps in a file that nobody finds any more.
      if (this.#refuse(group)) return
      let start = 0
      for (const pending of group) {
        pending.resolve(results.slice(start, start + pending.statements.length))
        start += pending.statements.length
      }
      this.#committed()
    } catch (error) {
      if (error instanceof AnswerLost) {
        settleStored(group, error)
        return this.#committed()
      }
      if (!(error instanceof StatementFailed)) {
        for (const pending of group) pending.reject(error)
        if (isProblem(error, "database_outcome_unknown")) this.#committed()
        return
      }
      await this.#commitWithout(group, error)
    }
  }

  /** Rejects a group where nothing is acknowledged any more. */
  #refuse(group: readonly Pending[]): boolean {
    const ended = this.#whyEnded()
    if (ended === undefined) return false
    for (const {reject} of group) reject(ended)
    return true
  }

  async #commitWithout(group: Pending[], error: StatementFailed): Promise<void> {
    const culprit = group.length === 1 ? group[0] : ownerOf(group, error.index)
    if (culprit === undefined) {
      // The driver does not say which statement it was: each batch gets a transaction of its own.
      for (const pending of group) await this.#commit([pending])
      return
    }
    const {cause} = error
    culprit.reject(new Problem("database_refused", `the change was refused: ${messageOf(cause)}`, {cause}))
    await this.#commit(group.filter(pending => pending !== culprit))
  }
}

/** What returns rows is asked for again by whoever needs them; for all others it is enough to know that it is stored. */
const settleStored = (group: readonly Pending[], cause: AnswerLost): void => {
  for (const {statements, resolve, reject} of group) {
    if (statements.some(({sql}) => returnsRows.test(sql)))
      reject(new Problem("database_outcome_unknown", cause.message, {cause}))
    else resolve(statements.map(() => ({rows: [], changes: 0})))
  }
}

const returnsRows = /\bRETURNING\b|^\s*(SELECT|WITH|PRAGMA|VALUES)\b/i

const changesOf = (group: readonly Pending[]) => group.reduce((sum, {changes}) => sum + changes, 0)

const ownerOf = (group: Pending[], index: number | undefined): Pending | undefined => {
  if (index === undefined) return undefined
  let end = 0
  return group.find(pending => {
    end += pending.statements.length
    return index < end
  })
}
