import {InboxDetail, InboxView, PageQuery, page} from "../../../shared/api.ts"
import type {Row} from "../../../shared/plugin.ts"
import {Problem} from "../../../shared/problems.ts"
import type {Route} from "../../../shared/route.ts"
import type {Static} from "../../../shared/type.ts"
import type {Database} from "../../database/database.ts"
import {readPage, timeOf, toPage} from "./paging.ts"

const InboxPage = page(InboxView)

/** The state of an event is that of its worst handler; an event that nobody handles is handled. */
const state = `COALESCE((SELECT state FROM inbox_marks m WHERE m.seq = inbox.seq ORDER BY
  CASE state WHEN 'dead' THEN 0 WHEN 'failed' THEN 1 WHEN 'running' THEN 2 WHEN 'pending' THEN 3 ELSE 4 END LIMIT 1), 'handled')`

export const inboxRoutes = (database: Database): Route[] => [
  {
    method: "GET",
    path: "/api/inbox",
    scope: "demo",
    summary: "Inbox events, newest first",
    query: PageQuery,
    response: {200: InboxPage},
    handle: async (_, call) => {
      const {limit, before} = readPage(call)
      const rows = await database.read(
        `SELECT seq, endpoint, type, received_at, event, ${state} AS state FROM inbox WHERE seq < ? ORDER BY seq DESC LIMIT ?`,
        [before, limit + 1],
      )
      return call.json(
        InboxPage,
        toPage(rows.map(viewEvent), limit, ({seq}) => seq),
      )
    },
  },
  {
    method: "GET",
    path: "/api/inbox/:seq",
    scope: "demo",
    summary: "One inbox event with the marks of its handlers",
    response: {200: InboxDetail},
    problems: ["inbox_unknown"],
    handle: async (_, call) => {
      const seq = Number(call.params.seq)
      const [row] = Number.isSafeInteger(seq)
        ? await database.read(`SELECT *, ${state} AS state FROM inbox WHERE seq = ?`, [seq])
        : []
      if (row === undefined) throw new Problem("inbox_unknown", `there is no inbox event ${call.params.seq}`)
      const marks = await database.read("SELECT * FROM inbox_marks WHERE seq = ? ORDER BY handler", [seq])
      const replies = await database.read("SELECT id FROM outbox WHERE inbox_seq = ? ORDER BY seq", [seq])
      return call.json(InboxDetail, viewDetail(row, marks, replies))
    },
  },
]

const viewEvent = (row: Row): Static<typeof InboxView> => ({
  seq: Number(row.seq),
  endpoint: String(row.endpoint),
  type: String(row.type),
  receivedAt: timeOf(row.received_at) ?? "",
  state: row.state as Static<typeof InboxView>["state"],
  event: {...JSON.parse(String(row.event)), sn: Number(row.seq)},
})

const viewDetail = (row: Row, marks: readonly Row[], replies: readonly Row[]): Static<typeof InboxDetail> => ({
  ...viewEvent(row),
  eventId: String(row.event_id),
  conversation: String(row.conversation),
  ...(row.raw === null ? {} : {raw: JSON.parse(String(row.raw))}),
  marks: marks.map(mark => ({
    handler: String(mark.handler),
    state: mark.state as Static<typeof InboxView>["state"],
    attempt: Number(mark.attempt),
    startedAt: timeOf(mark.started_at),
    endedAt: timeOf(mark.ended_at),
    error: mark.error === null ? null : String(mark.error),
  })),
  replies: replies.map(({id}) => String(id)),
})
