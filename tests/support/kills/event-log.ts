import {expect} from "vitest"
import type {Gap} from "../messages/gaps.ts"
import {readRows} from "../messages/inbox-ledger.ts"
import type {Ledger} from "../messages/kill-ledger.ts"

const ends: Readonly<Record<string, string>> = {
  sent: "message.sent",
  failed: "message.send_failed",
  dead: "message.send_dead",
  unknown: "message.unknown",
}

/**
 * Checks that the event log contains each inbox event, each end of a handler or a message, and each ended gap exactly
 * once, and no other event. Every inbox event has at most one handler. `file` is the database of a stopped Host.
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
