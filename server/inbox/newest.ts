import {setTimeout as sleep} from "node:timers/promises"
import type {Reader} from "../database/database.ts"
import type {ChannelEnd} from "../endpoints/backfill.ts"

/** How many of the newest events to search. Searching all of them would block the Host. */
const looked = 5000

const newestOfEach = `SELECT max(seq) FROM (SELECT seq, endpoint, conversation, type FROM inbox ORDER BY seq DESC LIMIT ${looked})
  WHERE endpoint = ?1 AND type = 'message-created' GROUP BY conversation ORDER BY 1 DESC LIMIT ?2`

/** Returns the last messages of an endpoint's `most` most recent channels, as far as the newest events show. */
export const readChannelEnds = async (
  database: Reader,
  endpoint: string,
  most: number,
): Promise<readonly ChannelEnd[]> => {
  const rows = await database.read(
    `SELECT event ->> '$.channel.id' AS channel, event ->> '$.message.id' AS message FROM inbox
      WHERE seq IN (${newestOfEach}) AND channel IS NOT NULL AND message IS NOT NULL ORDER BY seq DESC`,
    [endpoint, most],
  )
  return rows.map(({channel, message}) => ({channel: String(channel), message: String(message)}))
}

/** How attempts of a handler ended in a minute of an earlier run. */
export interface EarlierEnds {
  readonly handler: string
  /** Minutes since 1970. */
  readonly minute: number
  readonly ended: number
  readonly failed: number
}

export interface EarlierFailure {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly handler: string
  /** The inbox event. */
  readonly seq: number
  readonly error: string
}

const day = 86_400_000

/** How many events to read at once: one or two milliseconds, and then a pause, in milliseconds. */
const page = 1000
const pause = 5

/** There is no index by time, but the sequence grows with it. */
const newest = "SELECT seq, received_at FROM inbox WHERE seq <= ? ORDER BY seq DESC LIMIT 1"

/** The failed attempts of a handler that is to run again count where the last of them ended. */
const ends = `SELECT handler, CAST(ended_at / 60000 AS INTEGER) AS minute, sum(failures + (state = 'failed')) AS failed,
    sum(failures + (state = 'failed' OR (state = 'handled' AND error IS NULL))) AS ended
  FROM inbox_marks WHERE seq > ?1 AND seq <= ?2 AND ended_at >= ?3 AND ended_at < ?4 GROUP BY handler, minute`

const failures = `SELECT * FROM (SELECT seq, handler, ended_at, error FROM inbox_marks WHERE state = 'failed'
  ORDER BY seq DESC LIMIT 100) WHERE ended_at >= ?1 AND ended_at < ?2`

/** Reads the newest failures in the day before `until`, in milliseconds since 1970. */
const readLastFailures = async (database: Reader, until: number): Promise<EarlierFailure[]> =>
  (await database.read(failures, [until - day, until])).map(({seq, handler, ended_at: at, error}) => ({
    at: Number(at),
    handler: String(handler),
    seq: Number(seq),
    error: String(error),
  }))

/**
 * Tells a meter how handlers ended in the day before `until`, in milliseconds since 1970, as far as their events are
 * kept: page by page, the newest first. Rejects with the failure of a read.
 */
export const recallEnds = async (
  database: Reader,
  until: number,
  meter: {recall(ends: readonly EarlierEnds[], failures?: readonly EarlierFailure[]): void},
): Promise<void> => {
  meter.recall([], await readLastFailures(database, until))
  for (let last = Number.MAX_SAFE_INTEGER; ; last -= page) {
    const [row] = await database.read(newest, [last])
    if (row === undefined || Number(row.received_at) < until - day) return
    last = Number(row.seq)
    const rows = await database.read(ends, [last - page, last, until - day, until])
    meter.recall(
      rows.map(({handler, minute, ended, failed}) => ({
        handler: String(handler),
        minute: Number(minute),
        ended: Number(ended),
        failed: Number(failed),
      })),
    )
    await sleep(pause, undefined, {ref: false})
  }
}
