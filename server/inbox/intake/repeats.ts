import type {Log} from "../../../shared/log.ts"
import type {Database} from "../../database/database.ts"
import type {Arrival} from "./arrivals.ts"

/** The repeated deliveries of one endpoint since the Host started, by whether their content differs. */
export interface RepeatCounts {
  same: number
  differs: number
}

/** Counts deliveries whose id was stored before. */
export class Repeats {
  readonly #database: Database
  readonly #log: Log
  readonly #counts = new Map<string, RepeatCounts>()

  constructor(database: Database, log: Log) {
    this.#database = database
    this.#log = log
  }

  of(endpoint: string): Readonly<RepeatCounts> {
    return this.#counts.get(endpoint) ?? {same: 0, differs: 0}
  }

  /**
   * Counts a repeat, and resolves to the sequence of the stored event. If the content differs, the stored event says so
   * before its platform gets an acknowledgement. The content of a deleted event is unknown, so nothing differs from it.
   */
  async count({endpoint, id, content}: Arrival): Promise<number> {
    const [row] = await this.#database.read(
      `SELECT seq, content_hash FROM inbox WHERE endpoint = ?1 AND event_id = ?2
       UNION ALL SELECT seq, NULL FROM inbox_keys WHERE endpoint = ?1 AND event_id = ?2`,
      [endpoint, id],
    )
    const seq = Number(row?.seq)
    const isSame = typeof row?.content_hash !== "string" || row.content_hash === content
    if (!isSame)
      await this.#database.write([{sql: "UPDATE inbox SET repeats = repeats + 1 WHERE seq = ?", args: [seq]}])
    const counts = this.#counts.get(endpoint) ?? {same: 0, differs: 0}
    this.#counts.set(endpoint, counts)
    counts[isSame ? "same" : "differs"]++
    if (!isSame && counts.differs === 1)
      this.#log.warn(`${endpoint} delivered other content under the id of event ${seq}; the Host kept the first`, {
        remediation: "svc inbox list --repeats lists such events",
      })
    return seq
  }
}
