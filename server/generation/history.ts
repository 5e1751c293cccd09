import {fromJson, toJson} from "../../shared/json.ts"
import {Problem} from "../../shared/problems.ts"
import type {ConfigText} from "../config/load.ts"
import type {Database, Reader, Row, Statement} from "../database/database.ts"
import {readNumber} from "../database/engine/cells.ts"
import {deleteMeta, readMeta, setMeta} from "../database/state/meta.ts"
import type {NewPin, Pin} from "./generation.ts"

/** One committed generation, as stored in the database. */
export type GenerationRecord = Readonly<ReturnType<typeof toRecord>>

export interface NewGeneration extends Omit<GenerationRecord, "number" | "configSha256"> {
  readonly config: ConfigText
  /** The pin from now on; undefined for none. */
  readonly pin: NewPin | undefined
}

/** How many configurations are kept. */
const kept = 50

const pinKey = "generation_pin"

/** SQL for the number of the newest generation; NULL before the first. */
export const newestGeneration = "(SELECT max(number) FROM generations)"

/** Returns the number of the newest generation; 0 before the first. */
export const readNewestGeneration = (database: Reader): Promise<number> =>
  readNumber(database, `SELECT ${newestGeneration} AS n`)

/** Gives the only generation of a database another number. */
export const renumbering = (number: number): Statement => ({sql: "UPDATE generations SET number = ?", args: [number]})

const columns = "number, committed_at, runtime_id, reason, config_sha256, plugins"

/** The durable history of generations; numbers grow across restarts. */
export class GenerationHistory {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Numbers and records a generation, sets its pin, and deletes the oldest record, in one batch. */
  async commit({committedAt, runtimeId, reason, config, plugins, pin}: NewGeneration): Promise<number> {
    const [inserted] = await this.#database.write([
      {
        sql: `INSERT INTO generations (committed_at, runtime_id, reason, config, config_sha256, plugins)
          VALUES (?, ?, ?, ?, ?, ?) RETURNING number`,
        args: [committedAt, runtimeId, reason, config.text, config.sha256, toJson(plugins)],
      },
      {
        sql: `DELETE FROM generations WHERE number <= ${newestGeneration} - ? AND number IS NOT ?`,
        args: [kept, typeof pin?.number === "number" ? pin.number : null],
      },
      pin === undefined
        ? deleteMeta(pinKey)
        : setMeta(pinKey, {
            sql: `json_object('number', coalesce(?, ${newestGeneration}), 'fileSha256', ?)`,
            args: [pin.number === "own" ? null : pin.number, pin.fileSha256],
          }),
    ])
    return Number(inserted?.rows[0]?.number)
  }

  /** Newest first, below `before`. */
  async list(limit: number, before?: number): Promise<readonly GenerationRecord[]> {
    const rows = await this.#database.read(
      `SELECT ${columns} FROM generations WHERE number < ? ORDER BY number DESC LIMIT ?`,
      [before ?? Number.MAX_SAFE_INTEGER, limit],
    )
    return rows.map(toRecord)
  }

  /** Returns the configuration of a generation, as written. Throws `generation_unknown`. */
  async configOf(number: number): Promise<GenerationRecord & {readonly config: string}> {
    const [row] = await this.#database.read(`SELECT ${columns}, config FROM generations WHERE number = ?`, [number])
    if (row === undefined)
      throw new Problem("generation_unknown", `there is no generation ${number}, or it is no longer kept`)
    return {...toRecord(row), config: String(row.config)}
  }

  async pin(): Promise<Pin | undefined> {
    const pin = await readMeta(this.#database, pinKey)
    return pin === undefined ? undefined : (fromJson(pin) as Pin)
  }
}

const toRecord = (row: Row) => ({
  number: Number(row.number),
  committedAt: Number(row.committed_at),
  runtimeId: String(row.runtime_id),
  reason: String(row.reason),
  configSha256: String(row.config_sha256),
  /** Fingerprint of the code of each plugin, by name. */
  plugins: fromJson(String(row.plugins)) as Readonly<Record<string, string>>,
})
