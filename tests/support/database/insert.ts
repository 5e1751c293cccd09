import type {Statement} from "../../../server/database/database.ts"

export type Columns = Readonly<Record<string, string | number | null>>

export const insert = (table: string, columns: Columns): Statement => ({
  sql: `INSERT INTO ${table} (${Object.keys(columns).join(", ")}) VALUES (${Object.keys(columns)
    .map(() => "?")
    .join(", ")})`,
  args: Object.values(columns),
})

/** An event of the endpoint `line`, without marks. */
export const inboxRow = (columns: Columns = {}): Statement =>
  insert("inbox", {
    ...{endpoint: "line", event_id: "e1", conversation: "line/c", type: "message-created", received_at: 1, event: "{}"},
    ...columns,
  })

/** A message to the channel `c` of the endpoint `line`. */
export const outboxRow = (id: string, columns: Columns = {}): Statement =>
  insert("outbox", {id, kind: "message", endpoint: "line", channel: "c", content: "[]", created_at: 1, ...columns})

export const startRow = (at: number): Statement =>
  insert("svc_runs", {runtime_id: String(at), started_at: at, mode: "test", version: "1", runtime: "bun"})
