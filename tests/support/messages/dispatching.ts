import type {Database} from "../../../server/database/database.ts"
import {createDispatch} from "../../../server/messages/dispatch.ts"
import type {EventHandler, Handler} from "../../../server/messages/session/handler.ts"
import {createMessageTable} from "../../../server/messages/table.ts"
import {channelType, type SatoriEvent} from "../../../shared/sdk/content/satori.ts"
import {log, until} from "../database/databases.ts"
import {ableEndpoints} from "./endpoint-acts.ts"

/** A handler whose work runs as it is. */
export const runnerOf = (id: string, more: Partial<Handler> = {}): Handler => ({
  id,
  log,
  signal: new AbortController().signal,
  run: async work => work(),
  ...more,
})

/** What a handler's session has of its plugin, without rows and prompts. */
export const plugin = {
  name: "club",
  database: {table: (name: string) => name, read: async () => []},
  prompt: () => undefined,
}

export const hearerOf = (handle: EventHandler["handle"], more: Partial<EventHandler> = {}): EventHandler => ({
  ...runnerOf("root/test/handler/message-created.0"),
  type: "message-created",
  handle,
  ...more,
})

export const tableOf = (parts: Partial<Parameters<typeof createMessageTable>[0]>) =>
  createMessageTable({prefixes: ["/"], commands: [], permissionOf: () => "user", log, ...parts})

export const dispatchTo = (
  table: ReturnType<typeof tableOf>,
  more: Partial<Parameters<typeof createDispatch>[0]> = {},
): ReturnType<typeof createDispatch> =>
  createDispatch({current: () => table, endpoints: ableEndpoints, idle: async () => {}, log, ...more})

export const messageOf = (content: string, more: Partial<SatoriEvent> = {}): SatoriEvent => ({
  sn: 1,
  type: "message-created",
  timestamp: 0,
  login: {platform: "sandbox"},
  channel: {id: "c", type: channelType.direct},
  user: {id: "ann"},
  message: {id: "m", content},
  ...more,
})

export const untilSettled = (database: Database): Promise<unknown> =>
  until("all handlers to end", async () => {
    const open = "SELECT 1 AS one FROM inbox_marks WHERE state IN ('pending', 'running')"
    return (await database.read(open)).length === 0
  })
