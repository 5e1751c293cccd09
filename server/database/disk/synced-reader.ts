import type {Client, InStatement, ResultSet, Transaction} from "@libsql/client/sqlite3"
import {createKeepingClient} from "../engine/prepared.ts"

/**
 * A connection that reads the database as it was at the last `renew`, whatever the writing connection has stored since.
 * While it reads, SQLite does not restart its write-ahead log from the beginning.
 */
export class SyncedReader {
  readonly #client: Client
  #transaction: Transaction | undefined
  #renewing: Promise<void> | undefined

  constructor(file: string) {
    this.#client = createKeepingClient(file, 0)
  }

  /** Reads the current state from now on. */
  renew(): Promise<void> {
    this.#renewing = this.#renew().finally(() => {
      this.#renewing = undefined
    })
    return this.#renewing
  }

  async read(statement: InStatement): Promise<ResultSet> {
    while (this.#renewing !== undefined) await this.#renewing
    return this.#transaction === undefined ? this.#client.execute(statement) : this.#transaction.execute(statement)
  }

  async #renew(): Promise<void> {
    this.release()
    const transaction = await this.#client.transaction("deferred")
    // The first read fixes the moment.
    await transaction.execute("SELECT 1 FROM sqlite_master LIMIT 1")
    this.#transaction = transaction
  }

  /** Releases the moment until the next `renew`. */
  release(): void {
    this.#transaction?.close()
    this.#transaction = undefined
  }

  close(): void {
    this.release()
    this.#client.close()
  }
}
