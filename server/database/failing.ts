import type {Problem, ProblemCode} from "../../shared/problems.ts"

/**
 * A failure of the database: the newest change was not stored, a remote database did not answer in time
 * (`database_unanswered`), or the disk did not (`database_stalled`). `since` is in milliseconds since 1970.
 */
export interface DatabaseFailure {
  readonly code: ProblemCode
  readonly message: string
  readonly hint: string
  readonly since: number
}

/** Observes the database. The methods run between two groups: they must be short and never throw. */
export interface DatabaseObserver {
  /** A group is stored, or may be if its outcome is unknown. New data can be read. */
  committed?(): void
  /** The database stores no changes from now on. */
  failing?(failure: DatabaseFailure): void
  /** The database stores changes again. */
  recovered?(failure: DatabaseFailure): void
}

/** Tracks whether the database stores changes, and notifies the observers. */
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

  /** Ends the failure. With a code, only a failure of that code. */
  recover(from?: ProblemCode): void {
    const failure = this.#failure
    if (failure === undefined || (from !== undefined && failure.code !== from)) return
    this.#failure = undefined
    for (const observer of this.#observers) observer.recovered?.(failure)
  }

  /** Notifies the observer until the returned function is called. */
  observe(observer: DatabaseObserver): () => void {
    this.#observers.add(observer)
    return () => void this.#observers.delete(observer)
  }
}
