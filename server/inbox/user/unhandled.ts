import {setTimeout as sleep} from "node:timers/promises"
import {Problem} from "../../../shared/problems.ts"
import type {Database} from "../../database/database.ts"
import {counting} from "../../database/retention/retention.ts"
import {readMeta, setMeta} from "../../database/state/meta.ts"
import {hasReplies} from "../../outbox/look-ups.ts"
import {inboxPart} from "./parts.ts"

/** The key in `svc_meta` of the last event whose content was looked at. */
const progressKey = "unhandled"

/** Writers wait while the content of one page is erased. */
const page = 100

/** How many times its own duration an erasure pauses for other work. */
const leisure = 3

/** These run for every event of their type, so they want one only if they answer it or start other work. */
const runsForAll = "(m.handler GLOB 'root/*/handler/*' OR m.handler GLOB 'root/*/middleware/*')"

const isUnhandled = (hasWork: string) => `NOT EXISTS (SELECT 1 FROM inbox_marks m
    WHERE m.seq = i.seq AND (m.state NOT IN ('handled', 'discarded', 'expired') OR NOT ${runsForAll}))
  AND NOT ${hasReplies("i.seq")} AND NOT ${hasWork}`

const selectPage = (
  hasWork: string,
) => `SELECT i.seq, i.received_at, iif(${isUnhandled(hasWork)}, i.event, NULL) AS event, i.raw, '[]' AS marks
  FROM inbox i WHERE i.seq > ? AND i.seq <= ? ORDER BY i.seq LIMIT ${page}`

export interface ErasureBounds {
  /** Erases the content of events received before this, in milliseconds since 1970. */
  readonly before: number
  /** The last event that may be erased. */
  readonly last: number
  readonly now: number
  readonly signal: AbortSignal
  /** SQL: other work began with the event of a number. */
  readonly hasWork: (seq: string) => string
}

/**
 * Erases the content of old events that no handler wanted, as `svc inbox redact` does: ids and times stay. Looks at each
 * event once, over restarts too. Resolves to the number of erased events. Throws `stopping`.
 */
export const eraseUnhandled = async (
  database: Database,
  {before, last, now, signal, hasWork}: ErasureBounds,
): Promise<number> => {
  const select = selectPage(hasWork("i.seq"))
  let after = Number((await readMeta(database, progressKey)) ?? 0)
  let erased = 0
  for (let isMore = true; isMore; ) {
    if (signal.aborted) throw new Problem("stopping", "the Host is stopping")
    const began = performance.now()
    const rows = await database.read(select, [after, last])
    const young = rows.findIndex(({received_at: at}) => Number(at) >= before)
    const old = young === -1 ? rows : rows.slice(0, young)
    isMore = old.length === page
    const end = old.at(-1)
    if (end === undefined) break
    after = Number(end.seq)
    const found = old.filter(row => row.event !== null && !inboxPart.isForgotten(row))
    const count = {sql: counting("unhandled", "SELECT '' AS detail, ?1 AS rows", "?2"), args: [found.length, now]}
    await database.write([
      ...(found.length === 0 ? [] : [...inboxPart.forgetting(found), count]),
      setMeta(progressKey, String(after)),
    ])
    erased += found.length
    await sleep((performance.now() - began) * leisure)
  }
  return erased
}
