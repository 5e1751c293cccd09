import type {Client, InStatement, ResultSet, Transaction} from "@libsql/client/sqlite3"
import {createKeepingClient} from "../prepared.ts"

/**
 * A connection that reads what was in the database at the last `renew`, whatever the writing connection has stored since. As long
 * as it reads, SQLite does not begin its write-ahead log from the start again.
 */
export class SyncedReader {
  readonly #client: Client
  #transaction: Transaction | undefined
  #renewing: Promise<void> | undefined

  constructor(file: string) {
    this.#client = createKeepingClient(file, 0)
  }

  /** Reads from now on what is stored now. */
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

  /** Holds no moment until the next `renew`. */
  release(): void {
    this.#transaction?.close()
    this.#transaction = undefined
  }

  close(): void {
    this.release()
    this.#client.close()
  }
}
