import {counting, type RetentionPart} from "../../database/retention/retention.ts"
import {tellingUndelivered} from "../../events/telling.ts"

const isDone = "o.state IN ('sent', 'discarded', 'expired')"

const endedAt = "coalesce(o.ended_at, o.created_at)"

/**
 * Messages that were sent or abandoned. `sendNow` skips messages that it has sent before, so those of a handler that may
 * run again are kept: `mayRunAgain` is SQL about the handler of the row `o`.
 */
export const outboxPart = (mayRunAgain: string): RetentionPart => {
  const mayGo = `o.seq > ?1 AND o.seq <= ?2 AND NOT (o.early = 1 AND ${mayRunAgain})
    AND ((${isDone} AND (${endedAt} < ?3 OR o.seq <= ?4))
      OR (o.state IN ('failed', 'dead', 'unknown', 'held') AND ${endedAt} < ?5))`
  const kinds = `SELECT iif(${isDone}, '', 'undelivered') AS detail, count(*) AS rows FROM outbox o WHERE ${mayGo} GROUP BY 1`
  return {
    name: "sent",
    table: "outbox",
    number: "seq",
    at: "created_at",
    count: `SELECT count(*) AS rows FROM outbox o WHERE ${mayGo}`,
    drop: [
      counting("sent", kinds),
      tellingUndelivered("outbox", `SELECT rows FROM (${kinds}) WHERE detail = 'undelivered'`),
      `DELETE FROM outbox AS o WHERE ${mayGo}`,
    ],
  }
}
