import type {Problem, ProblemCode} from "../../shared/problems.ts"

/**
 * The newest change was not stored, for a reason that is the database's; or a remote database did not answer in time
 * (`database_unanswered`), or the disk (`database_stalled`). `since` in milliseconds since 1970.
 */
export interface DatabaseFailure {
  readonly code: ProblemCode
  readonly message: string
  readonly hint: string
  readonly since: number
}

/** Hears of what happens to the database. Called between two groups: it must be short, and never throws. */
export interface DatabaseObserver {
  /** A group is stored, or may be: its outcome was unknown. What is new can be read. */
  committed?(): void
  /** Changes are not stored from now on. */
  failing?(failure: DatabaseFailure): void
  /** Changes are stored again. */
  recovered?(failure: DatabaseFailure): void
}

/** Whether changes are stored, and who hears of it. */
export class Failing {
  readonly #observers = new Set<DatabaseObserver>()
  #failure: DatabaseFailure | undefined

  get failure(): DatabaseFailure | undefined {
    return this.#failure
  }

  committed(): void {
    for (const observer of this.#observers) observer.committed?.()
  }

  fail({code, message, hint}: Problem): void {
    const wasFailing = this.#failure
    this.#failure = {code, message, hint, since: wasFailing?.since ?? Date.now()}
    if (wasFailing?.code === code) return
    for (const observer of this.#observers) observer.failing?.(this.#failure)
  }

  /** With a code: only from a failure of that code. */
  recover(from?: ProblemCode): void {
    const failure = this.#failure
    if (failure === undefined || (from !== undefined && failure.code !== from)) return
    this.#failure = undefined
    for (const observer of this.#observers) observer.recovered?.(failure)
  }

  /** Tells until the returned function is called. */
  observe(observer: DatabaseObserver): () => void {
    this.#observers.add(observer)
    return () => void this.#observers.delete(observer)
  }
}
