import {expect} from "vitest"
import type {Gap} from "../messages/gaps.ts"
import {readRows} from "../messages/inbox-ledger.ts"
import type {Ledger} from "../messages/kill-ledger.ts"

/** What the event log says of a message that has ended in a state. */
const ends: Readonly<Record<string, string>> = {
  sent: "message.sent",
  failed: "message.send_failed",
  dead: "message.send_dead",
  unknown: "message.unknown",
}

/**
 * The event log tells of each event of the inbox, of each end of a handler or a message, and of each gap that has ended,
 * once, and of nothing else. Every event of the inbox has one handler at most. `file`: the database of a Host that has ended.
 */
export const checkEventLog = async (file: string, {events, answers}: Ledger, gaps: readonly Gap[]): Promise<void> => {
  const rows = await readRows(
    file,
    `SELECT type || ' ' || coalesce(json_extract(data, '$.message'), json_extract(data, '$.sn'), endpoint) AS told
      FROM events WHERE type LIKE 'message.%' OR type = 'endpoint.gap'`,
  )
  const wanted = [
    ...events.map(({seq}) => `message.received ${seq}`),
    ...events.filter(({type}) => type === "message-created").map(({seq, states}) => `message.${states} ${seq}`),
    ...answers.map(({id, state}) => `${ends[state] ?? `no end (${state})`} ${id}`),
    ...gaps.map(({endpoint}) => `endpoint.gap ${endpoint}`),
  ]
  expect(rows.map(({told}) => String(told)).sort()).toEqual(wanted.sort())
}
