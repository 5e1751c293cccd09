import {counting, type RetentionPart} from "../../database/retention/retention.ts"
import {tellingUndelivered} from "../../events/telling.ts"

const isDone = "o.state IN ('sent', 'discarded', 'expired')"

const endedAt = "coalesce(o.ended_at, o.created_at)"

/** For how many of its newest messages an action's lasting buttons keep the message at any age. */
export const mostLasting = 1000

/** Selects the rows that show a button that lasts, and the messages of edits that do. */
const showing = (lasting: string) => `WITH shown AS (SELECT m.seq, m.content ->> '$.message.outbox' AS edited,
    dense_rank() OVER (PARTITION BY b.handler ORDER BY m.seq DESC) AS nth
    FROM (${lasting}) b CROSS JOIN outbox m ON m.id = b.message WHERE +m.state = 'sent')
  SELECT seq AS n FROM shown WHERE nth <= ${mostLasting}
  UNION SELECT m.seq FROM shown CROSS JOIN outbox m ON m.id = edited WHERE nth <= ${mostLasting}`

/**
 * Messages that were sent or abandoned. `sendNow` skips messages that it has sent before, so those of a handler that may
 * run again are kept: `mayRunAgain` is SQL about the handler of the row `o`. `lasting` selects the `message` and the
 * `handler` of each button that lasts: its message is kept.
 */
export const outboxPart = (mayRunAgain: string, lasting: string): RetentionPart => {
  const mayGo = `o.seq > ?1 AND o.seq <= ?2 AND NOT (o.early = 1 AND ${mayRunAgain})
    AND ((${isDone} AND (${endedAt} < ?3 OR o.seq <= ?4) AND o.seq NOT IN (SELECT value FROM json_each(?8)))
      OR (o.state IN ('failed', 'dead', 'unknown', 'held') AND ${endedAt} < ?5))`
  const kinds = `SELECT iif(${isDone}, '', 'undelivered') AS detail, count(*) AS rows FROM outbox o WHERE ${mayGo} GROUP BY 1`
  return {
    name: "sent",
    table: "outbox",
    number: "seq",
    at: "created_at",
    kept: showing(lasting),
    count: `SELECT count(*) AS rows FROM outbox o WHERE ${mayGo}`,
    drop: [
      counting("sent", kinds),
      tellingUndelivered("outbox", `SELECT rows FROM (${kinds}) WHERE detail = 'undelivered'`),
      `DELETE FROM outbox AS o WHERE ${mayGo}`,
    ],
  }
}
