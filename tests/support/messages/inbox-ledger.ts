import {expect} from "vitest"
import {openDatabase, type Row} from "../../../server/database/database.ts"
import {haveEnded, posting, type TestHost, until} from "../host/host.ts"
import {pluginWith} from "../plugins/plugin-sources.ts"
import {allOf} from "./gaps.ts"

/** The source of a plugin that answers each message once, with the message's text. */
export const echoPlugin = pluginWith(`
    plugin.on("message-created", async session => {
      await session.send("echo " + session.text.slice(0, 100))
    })`)

/** Says something under a given id. The answer 202 promises that it is stored. */
export const post = (host: TestHost, id: string, text = id, channel = "chat"): Promise<Response> =>
  host.fetch("/api/plugins/sandbox/messages", posting({id, text, channel}))

/** Says something under each of these ids, and waits until all is handled. */
export const accept = async (host: TestHost, ids: readonly string[]): Promise<void> => {
  for (const id of ids) expect((await post(host, id)).status).toBe(202)
  await handledAll(host)
}

export interface Entry {
  readonly id: string
  readonly copies: number
  readonly states: string
  readonly answers: number
}

/** The result of a query on the database of a stopped Host. */
export const readRows = async (file: string, sql: string): Promise<readonly Row[]> => {
  const database = await openDatabase(
    {dialect: "sqlite", file},
    {runtimeId: "test", signal: new AbortController().signal, onLeaseLost: () => {}},
  )
  try {
    return await database.read(sql)
  } finally {
    await database.close()
  }
}

/** All events in the database of a stopped Host, by their platform ids. */
export const readLedger = async (file: string): Promise<ReadonlyMap<string, Entry>> => {
  const rows = await readRows(
    file,
    `SELECT event_id AS id, count(*) AS copies,
      (SELECT group_concat(state) FROM inbox_marks m WHERE m.seq = i.seq) AS states,
      (SELECT count(*) FROM outbox o WHERE o.inbox_seq = i.seq) AS answers
      FROM inbox i GROUP BY event_id`,
  )
  return new Map(rows.map(row => [String(row.id), row as unknown as Entry]))
}

export const handledAll = (host: TestHost): Promise<unknown> =>
  allOf(cursor =>
    until("every event to be handled", async () => {
      const page = await host.get("/api/inbox", {limit: 500, cursor})
      return haveEnded(page.items) && page
    }),
  )
