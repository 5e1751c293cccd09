import {setImmediate as turn} from "node:timers/promises"
import {isProblem, messageOf, Problem} from "../../shared/problems.ts"
import {CommitMeter} from "./commit-meter.ts"
import {AnswerLost, type Engine, type Result, type Statement, StatementFailed} from "./engine/engine.ts"
import {ChangeFailed, databaseProblem, isUnexplained, kindsOf} from "./engine/errors.ts"

interface Pending {
  readonly statements: readonly Statement[]
  /** How many changes of its callers it stores. */
  readonly changes: number
  readonly resolve: (results: readonly Result[]) => void
  readonly reject: (error: unknown) => void
}

export interface WriterHooks {
  /** Called for every group that is stored, or may be. */
  readonly committed: () => void
  /** Returns why the database acknowledges nothing more; called before each store and acknowledgement. Never throws. */
  readonly whyEnded: () => Problem | undefined
}

/** The most statements of a group; each change counts as at least one. A commit blocks everything else. */
const largestGroup = 1024

/** How long a group waits for more batches, in milliseconds. */
const longestGathering = 2

/**
 * Group commit: several batches share one transaction and one fsync. A group takes the batches that are handed over in
 * one turn of the event loop, in turns that follow at once, or while another group is being stored. Each batch stays
 * atomic: a refused batch is removed, and the rest of its group is stored without it. If a group fails for no named
 * reason although the database works, each of its batches gets its own transaction.
 */
export class Writer {
  readonly commits = new CommitMeter()
  readonly #engine: Engine
  readonly #committed: () => void
  readonly #whyEnded: () => Problem | undefined
  #waiting: Pending[] = []
  #running: Promise<unknown> | undefined
  #committing: Promise<unknown> | undefined
  #held: Promise<void> | undefined

  constructor(engine: Engine, {committed, whyEnded}: WriterHooks) {
    this.#engine = engine
    this.#committed = () => {
      this.commits.newest = engine.group
      committed()
    }
    this.#whyEnded = whyEnded
  }

  /** `changes` is the number of changes in a batch whose statements each store many rows. */
  write(statements: readonly Statement[], changes = 1): Promise<readonly Result[]> {
    // An empty group would still wait for the disk to store its number.
    if (statements.length === 0) return Promise.resolve([])
    return new Promise((resolve, reject) => {
      this.#waiting.push({statements, changes, resolve, reject})
      this.#running ??= this.#drain()
    })
  }

  /** Resolves when no batch waits and none is held back. */
  async idle(): Promise<void> {
    while (this.#running !== undefined || this.#held !== undefined) await (this.#running ?? this.#held)
  }

  /** Resolves once no batch is being stored. No batch is stored until the function that it resolves to is called. */
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
   * Waits two turns of the event loop, so that requests and timers get theirs, and more turns while they bring more
   * batches: on Node a turn brings only a few. The next turn hands over what came in a turn.
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

  /** Resolves to the error with which the database stores nothing now; undefined if it works. Never rejects. */
  async #commit(group: readonly Pending[]): Promise<unknown> {
    if (group.length === 0) return undefined
    const ended = this.#whyEnded()
    if (ended !== undefined) return rejectAll(group, ended)
    try {
      const statements = group.flatMap(pending => pending.statements)
      const results = await this.commits.measure(changesOf(group), () => this.#engine.commit(statements))
      // The group is stored, but perhaps in a file that nobody can find any more.
      const lost = this.#whyEnded()
      if (lost !== undefined) return rejectAll(group, lost)
      let start = 0
      for (const pending of group) {
        pending.resolve(results.slice(start, start + pending.statements.length))
        start += pending.statements.length
      }
      this.#committed()
      return undefined
    } catch (error) {
      if (error instanceof StatementFailed) return this.#commitWithout(group, error)
      if (isProblem(error, "database_failed") && (await this.#works())) return this.#isolate(group, error)
      if (error instanceof AnswerLost || isProblem(error, "database_outcome_unknown")) this.#committed()
      return error instanceof AnswerLost ? confirmStored(group, error) : rejectAll(group, error)
    }
  }

  async #commitWithout(group: readonly Pending[], error: StatementFailed): Promise<unknown> {
    const culprit = group.length === 1 ? group[0] : ownerOf(group, error.index)
    // The driver does not say which statement failed.
    if (culprit === undefined) return this.#commitEach(group)
    const {cause, index = -1} = error
    const failed = group.flatMap(({statements}) => statements)[index]
    const kinds = kindsOf(failed === undefined ? culprit.statements : [failed])
    culprit.reject(databaseProblem(cause, `the database refused the change (${kinds})`, "database_refused"))
    return this.#commit(group.filter(pending => pending !== culprit))
  }

  /** Finds the batches that make a group fail. */
  async #isolate(group: readonly Pending[], error: Problem): Promise<unknown> {
    const [only] = group
    if (group.length > 1 || only === undefined) return this.#commitEach(group)
    const why = `the database fails on this change and stores others (${kindsOf(only.statements)}): ${messageOf(error)}`
    only.reject(isUnexplained(error) ? new ChangeFailed(why, error) : new Problem(error.code, why, {cause: error}))
    return undefined
  }

  /** Gives each batch its own transaction, until the database stores nothing. */
  async #commitEach(group: readonly Pending[]): Promise<unknown> {
    let failure: unknown
    for (const pending of group) {
      if (failure === undefined) failure = await this.#commit([pending])
      else pending.reject(failure)
    }
    return failure
  }

  /** Resolves to whether the database stores a group without batches, which only has a number. */
  async #works(): Promise<boolean> {
    return (await this.#engine.commit([]).catch(() => undefined)) !== undefined
  }
}

const rejectAll = (group: readonly Pending[], error: unknown): unknown => {
  for (const {reject} of group) reject(error)
  return error
}

/** Resolves the batches without result rows: to know that they are stored is enough. Others look rows up again. */
const confirmStored = (group: readonly Pending[], cause: AnswerLost): void => {
  for (const {statements, resolve, reject} of group) {
    if (statements.some(({sql}) => returnsRows.test(sql)))
      reject(new Problem("database_outcome_unknown", cause.message, {cause}))
    else resolve(statements.map(() => ({rows: [], changes: 0})))
  }
}

const returnsRows = /\bRETURNING\b|^\s*(SELECT|WITH|PRAGMA|VALUES)\b/i

const changesOf = (group: readonly Pending[]) => group.reduce((sum, {changes}) => sum + changes, 0)

const ownerOf = (group: readonly Pending[], index: number | undefined): Pending | undefined => {
  if (index === undefined) return undefined
  let end = 0
  return group.find(pending => {
    end += pending.statements.length
    return index < end
  })
}
