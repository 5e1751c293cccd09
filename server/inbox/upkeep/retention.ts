import type {RetentionSettings} from "../../../shared/config/config.ts"
import {durationOf} from "../../../shared/duration.ts"
import {counting, plainPart, type RetentionPart} from "../../database/retention/retention.ts"
import {tellingUndelivered} from "../../events/telling.ts"

/** True if every handler has handled the event, was discarded or has expired. */
const isDone =
  "NOT EXISTS (SELECT 1 FROM inbox_marks m WHERE m.seq = i.seq AND m.state NOT IN ('handled', 'discarded', 'expired'))"

/** True if no handler is to run, and those that wait for a person have waited too long. */
const isGivenUp = `NOT EXISTS (SELECT 1 FROM inbox_marks m WHERE m.seq = i.seq AND (m.state IN ('pending', 'running')
    OR (m.state NOT IN ('handled', 'discarded', 'expired') AND coalesce(m.ended_at, i.received_at) >= ?5)))`

const mayGo = `i.seq > ?1 AND i.seq <= ?2 AND i.seq <= ?7
  AND (((i.received_at < ?3 OR i.seq <= ?4) AND ${isDone}) OR (i.received_at < ?5 AND ${isGivenUp}))`

const gone = "SELECT seq FROM inbox_keys WHERE seq > ?1 AND seq <= ?2"

/** Counts the events of the first statement, by whether they were handled. */
const kinds = `SELECT iif(${isDone}, '', 'undelivered') AS detail, count(*) AS rows FROM inbox i WHERE i.seq IN (${gone}) GROUP BY 1`

/** Events with their marks. The platform's id of each event is kept longer, to recognize a repetition. */
export const inboxPart: RetentionPart = {
  name: "handled",
  table: "inbox",
  number: "seq",
  at: "received_at",
  count: `SELECT count(*) AS rows FROM inbox i WHERE ${mayGo}`,
  drop: [
    `INSERT OR REPLACE INTO inbox_keys (seq, endpoint, event_id, dropped_at)
      SELECT seq, endpoint, event_id, ?6 FROM inbox i WHERE ${mayGo}`,
    counting("handled", kinds),
    tellingUndelivered("inbox", `SELECT rows FROM (${kinds}) WHERE detail = 'undelivered'`),
    `DELETE FROM inbox_marks WHERE seq > ?1 AND seq <= ?2 AND seq IN (${gone})`,
    `DELETE FROM prompts WHERE answer_seq > ?1 AND answer_seq <= ?2 AND answer_seq IN (${gone})`,
    `DELETE FROM inbox WHERE seq > ?1 AND seq <= ?2 AND seq IN (${gone})`,
  ],
}

/**
 * Returns the time before which events cannot be recognized if their platform redelivers them, in milliseconds since
 * 1970: they may have left the inbox and its list of ids. If there are more rows than the limits allow, younger ones
 * may have left too.
 */
export const oldestKnown = ({handled, duplicates}: RetentionSettings, now: number): number => {
  const ages = [handled.age, duplicates.age].map(durationOf)
  // 0 means forever.
  return ages.includes(0) ? Number.NEGATIVE_INFINITY : now - ages.reduce((sum, age) => sum + age, 0)
}

/** The ids by which the Host recognizes redelivered events that are no longer in the inbox. */
export const duplicatesPart = plainPart({
  name: "duplicates",
  table: "inbox_keys",
  number: "seq",
  at: "dropped_at",
  condition: "seq > ?1 AND seq <= ?2 AND (dropped_at < ?3 OR seq <= ?4)",
  detail: "''",
})
