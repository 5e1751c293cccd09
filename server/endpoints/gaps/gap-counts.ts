import {type GapReason, isPlanned} from "../../../shared/api/endpoints.ts"
import {toJson} from "../../../shared/json.ts"
import type {Database, Row} from "../../database/database.ts"
import {droppedOneSql, droppedSql} from "../../database/retention/retention.ts"
import {bucketOfGap, GapLengths, timeOfGaps} from "./gap-lengths.ts"

/** How many gaps an endpoint has had for one reason. */
export interface GapCount {
  readonly endpoint: string
  readonly reason: GapReason
  readonly count: number
}

export interface EndedGaps {
  readonly endpoint: string
  readonly planned: boolean
  readonly lengths: GapLengths
}

export interface OpenGap {
  readonly seq: number
  readonly endpoint: string
  readonly reason: GapReason
  /** In milliseconds since 1970. */
  readonly from: number
}

/** Counts ended gaps by bucket. Open gaps have one row for each endpoint, with their start. */
const select = `SELECT endpoint, reason, ${bucketOfGap} AS bucket, count(*) AS count, ${timeOfGaps} AS time, max(seq) AS newest
    FROM endpoint_gaps WHERE to_at IS NOT NULL AND (seq > ?1 OR seq IN (SELECT value FROM json_each(?2))) GROUP BY 1, 2, 3
  UNION ALL SELECT endpoint, reason, NULL, 1, from_at, seq FROM endpoint_gaps WHERE to_at IS NULL
  UNION ALL SELECT detail ->> 0, detail ->> 1, detail ->> 2, rows,
      iif(detail ->> 2 IS NULL, NULL, coalesce(${droppedOneSql("gapTime", "gone.detail")}, 0)), 0
    FROM ${droppedSql("gaps")} AS gone WHERE ?1 < 0`

/** Counts the gaps of all runs, including deleted ones. Each reading only reads gaps that are new or have ended. */
export class GapCounts {
  readonly #database: Database
  readonly #ended = new Map<string, GapCount>()
  readonly #lengths = new Map<string, EndedGaps>()
  #open: readonly OpenGap[] = []
  /** Below 0 before the first reading, which also reads the counts of deleted gaps. */
  #counted = -1
  #reading: Promise<unknown> = Promise.resolve()

  constructor(database: Database) {
    this.#database = database
  }

  /** Runs one reading at a time, since two would count the same gaps. `counts` includes open gaps. */
  async read() {
    const reading = this.#reading.then(() => this.#advance())
    this.#reading = reading.catch(() => {})
    await reading
    const counts = new Map(this.#ended)
    for (const {endpoint, reason} of this.#open) add(counts, {endpoint, reason, count: 1})
    return {counts: [...counts.values()], ended: [...this.#lengths.values()], open: this.#open}
  }

  async #advance(): Promise<void> {
    const rows = await this.#database.read(select, [this.#counted, toJson(this.#open.map(({seq}) => seq))])
    const isOpen = ({bucket, newest}: Row) => bucket === null && Number(newest) > 0
    for (const row of rows) if (!isOpen(row)) this.#take(row)
    this.#open = rows.filter(isOpen).map(row => ({seq: Number(row.newest), from: Number(row.time), ...nameOf(row)}))
    this.#counted = Math.max(0, this.#counted, ...rows.map(({newest}) => Number(newest)))
  }

  #take(row: Row): void {
    const {endpoint, reason} = nameOf(row)
    const count = Number(row.count)
    add(this.#ended, {endpoint, reason, count})
    // The lengths of gaps are unknown that were deleted before lengths were counted.
    if (row.time !== null) this.#lengthsOf(endpoint, isPlanned(reason)).add(Number(row.bucket), count, Number(row.time))
  }

  #lengthsOf(endpoint: string, planned: boolean): GapLengths {
    const key = toJson([endpoint, planned])
    const known = this.#lengths.get(key)?.lengths
    const lengths = known ?? new GapLengths()
    if (known === undefined) this.#lengths.set(key, {endpoint, planned, lengths})
    return lengths
  }
}

const nameOf = ({endpoint, reason}: Row) => ({endpoint: String(endpoint), reason: reason as GapReason})

const add = (counts: Map<string, GapCount>, {endpoint, reason, count}: GapCount): void => {
  const key = toJson([endpoint, reason])
  counts.set(key, {endpoint, reason, count: (counts.get(key)?.count ?? 0) + count})
}
