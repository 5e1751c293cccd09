import type {Problem, ProblemCode} from "../../shared/problems.ts"

/**
 * A failure of the database: the newest change was not stored, a remote database did not answer in time
 * (`database_unanswered`), or the disk did not (`database_stalled`). `since` is in milliseconds since 1970.
 */
export interface DatabaseFailure extends Pick<Problem, "code" | "message" | "hint"> {
  readonly since: number
}

/** Damaged pages that SQLite has found in this run. They stay until a restore. */
export interface Damage {
  /** Of the damaged pages; empty while no check has found them. */
  readonly tables: readonly string[]
  /** What SQLite said. */
  readonly message: string
  /** Milliseconds since 1970. */
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
  /** SQLite has found damage, or damage in more tables. */
  damaged?(damage: Damage): void
  /** Another program has written to the database's files, or changed their times. */
  touched?(): void
}

/** Tracks whether the database stores changes, and notifies the observers. */
export class Failing {
  readonly #observers = new Set<DatabaseObserver>()
  #failure: DatabaseFailure | undefined
  #damage: Damage | undefined

  get failure(): DatabaseFailure | undefined {
    return this.#failure
  }

  get damage(): Damage | undefined {
    return this.#damage
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

  /** Records damage that was found in these tables. */
  damaged(message: string, tables: readonly string[] = []): void {
    const known = this.#damage
    const all = [...new Set([...(known?.tables ?? []), ...tables])]
    if (known !== undefined && all.length === known.tables.length) return
    this.#damage = {
      tables: all,
      message: tables.length > 0 ? message : (known?.message ?? message),
      since: known?.since ?? Date.now(),
    }
    for (const observer of this.#observers) observer.damaged?.(this.#damage)
  }

  touched(): void {
    for (const observer of this.#observers) observer.touched?.()
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
