import {Problem} from "../../../shared/problems.ts"
import type {Statement} from "../../../shared/sdk/session/database.ts"
import type {SessionDatabase} from "../../../shared/sdk/session/session.ts"
import {readStatements} from "../../../shared/sdk/session/values.ts"
import type {OutboxDraft} from "../../outbox/draft.ts"
import type {DraftFiles} from "../../outbox/files/draft-files.ts"
import {QueuedFiles} from "../../outbox/files/queued-files.ts"
import type {PluginSide} from "./handler.ts"

/** What plugin code queues until its end: it is stored in one batch with the end, or not at all. */
export class OpenWork {
  readonly sends: OutboxDraft[] = []
  readonly writes: Statement[] = []
  readonly queued: QueuedFiles
  /** The ids that it received and that are not in `sends`. */
  readonly #ids: string[] = []
  readonly #ends: (() => void)[] = []
  readonly #what: string
  readonly #signal: AbortSignal
  #hasEnded = false

  /** `what` names the code in errors. `signal` is aborted when its time limit ends. */
  constructor(what: string, files: DraftFiles | undefined, signal: AbortSignal) {
    this.#what = what
    this.#signal = signal
    this.queued = new QueuedFiles(files, this.sends, signal)
  }

  readonly late = () => new Problem("late", `this ${this.#what} has already ended`)

  /** Throws `late` once the code has ended. */
  readonly requireOpen = (): void => {
    if (this.#hasEnded || this.#signal.aborted) throw this.late()
  }

  end(): void {
    this.#hasEnded = true
    for (const end of this.#ends.splice(0)) end()
  }

  /** Calls `end` when the code has ended. */
  onEnd(end: () => void): void {
    this.#ends.push(end)
  }

  async queue(draft: OutboxDraft): Promise<string> {
    this.requireOpen()
    return this.queued.queue(draft)
  }

  /** Returns an id that the code receives, and that is therefore no reply. */
  give(id: string): string {
    this.#ids.push(id)
    return id
  }

  hasGiven(id: string): boolean {
    return this.#ids.includes(id) || this.sends.some(draft => draft.id === id)
  }

  /** Returns the database of a plugin, whose writes wait for the end. */
  databaseOf(plugin: () => Pick<PluginSide, "database">): SessionDatabase {
    return {
      table: name => plugin().database.table(name),
      read: async (sql, args, row) => {
        this.requireOpen()
        return plugin().database.read(sql, args, row)
      },
      write: async statements => {
        this.requireOpen()
        plugin()
        this.writes.push(...readStatements(statements))
      },
    }
  }
}
