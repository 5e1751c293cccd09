import type {GapReason} from "../../shared/api/endpoints.ts"
import type {Database} from "../database/database.ts"

/** How many gaps an endpoint has had, for one reason. */
export interface GapCount {
  readonly endpoint: string
  readonly reason: GapReason
  readonly count: number
}

/** Counts the gaps of all runs, those that are no longer kept too; each time only those that are new. */
export class GapCounts {
  readonly #database: Database
  readonly #counts = new Map<string, GapCount>()
  /** Below 0 before the first reading, which takes in those that are no longer kept. */
  #counted = -1
  #reading: Promise<unknown> = Promise.resolve()

  constructor(database: Database) {
    this.#database = database
  }

  /** One reading at a time: two would count the same gaps. */
  async read(): Promise<readonly GapCount[]> {
    const reading = this.#reading.then(() => this.#advance())
    this.#reading = reading.catch(() => {})
    await reading
    return [...this.#counts.values()]
  }

  async #advance(): Promise<void> {
    const rows = await this.#database.read(
      `SELECT endpoint, reason, count(*) AS count, max(seq) AS newest FROM endpoint_gaps WHERE seq > ?1 GROUP BY endpoint, reason
       UNION ALL SELECT detail ->> 0 AS endpoint, detail ->> 1 AS reason, rows, 0 FROM retention_dropped WHERE part = 'gaps' AND ?1 < 0`,
      [this.#counted],
    )
    for (const row of rows) {
      const [endpoint, reason] = [String(row.endpoint), row.reason as GapReason]
      const key = JSON.stringify([endpoint, reason])
      const count = (this.#counts.get(key)?.count ?? 0) + Number(row.count)
      this.#counts.set(key, {endpoint, reason, count})
    }
    this.#counted = Math.max(0, this.#counted, ...rows.map(({newest}) => Number(newest)))
  }
}
