import {counting, type RetentionPart} from "../database/upkeep/retention.ts"
import {tellingUndelivered} from "./undelivered.ts"

const isDone = "o.state IN ('sent', 'discarded', 'expired')"

/** `sendNow` skips messages that it has sent before, so those of a handler that may run again are kept. */
const isRemembered = `o.early = 1 AND EXISTS (SELECT 1 FROM inbox_marks m
  WHERE m.seq = o.inbox_seq AND m.handler = o.handler AND m.state NOT IN ('handled', 'discarded', 'expired'))`

const endedAt = "coalesce(o.ended_at, o.created_at)"

const mayGo = `o.seq > ?1 AND o.seq <= ?2 AND NOT (${isRemembered}) AND ((${isDone} AND (${endedAt} < ?3 OR o.seq <= ?4))
  OR (o.state IN ('failed', 'dead', 'unknown', 'held') AND ${endedAt} < ?5))`

const kinds = `SELECT iif(${isDone}, '', 'undelivered') AS detail, count(*) AS rows FROM outbox o WHERE ${mayGo} GROUP BY 1`

/** Messages that were sent or abandoned. */
export const outboxPart: RetentionPart = {
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
