import {LogPage, LogQuery} from "../../../shared/api/logs.ts"
import {Named} from "../../../shared/api/schemas.ts"
import type {LogLevel} from "../../../shared/log.ts"
import type {Operation} from "../../../shared/sdk/route.ts"
import {type Static, Type} from "../../../shared/type.ts"
import type {Generation} from "../../generation/generation.ts"
import type {Logs} from "../../logs/log.ts"
import {readLog} from "../../logs/page.ts"

const Config = Named("Config", {config: Type.Unknown()})

export const showConfig = (current: () => Generation): Operation => ({
  summary: "The running configuration; a secret is shown as [secret]",
  response: {200: Config},
  handle: (_, call) => call.json(Config, {config: current().config.config}),
})

export const listLogRecords = (logs: Logs, runtimeId: string): Operation => ({
  summary: "The newest log records of this run, newest first; with `after`, what came after a record, oldest first",
  query: LogQuery,
  response: {200: LogPage},
  handle: (_, call) => {
    const {level = "silly", plugin, limit = 200, cursor, after} = call.query as Static<typeof LogQuery>
    const asked = {
      filter: {level: level as LogLevel, plugin},
      limit,
      cursor: cursor === undefined ? undefined : Number(cursor),
      after,
    }
    return call.json(LogPage, readLog(logs, runtimeId, asked))
  },
})
