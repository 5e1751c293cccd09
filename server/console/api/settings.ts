import {LogRecordView} from "../../../shared/api.ts"
import {type LogLevel, logLevels} from "../../../shared/log.ts"
import type {Route} from "../../../shared/route.ts"
import {Type} from "../../../shared/type.ts"
import type {Generation} from "../../generation/generation.ts"
import type {Logs} from "../../logs/log.ts"

const Config = Type.Object({config: Type.Unknown()})
const LogPage = Type.Object({items: Type.Array(LogRecordView)})
const LogQuery = Type.Object({
  limit: Type.Optional(Type.Integer({minimum: 1, maximum: 1000, default: 200})),
  level: Type.Optional(Type.Enum([...logLevels], {description: "The least level"})),
})

/** The configuration and the log: full scope, since both may tell about users. */
export const settingsRoutes = (current: () => Generation, logs: Logs): Route[] => [
  {
    method: "GET",
    path: "/api/config",
    scope: "full",
    summary: "The running configuration; a secret is shown as [secret]",
    response: {200: Config},
    handle: (_, call) => call.json(Config, {config: current().config.config}),
  },
  {
    method: "GET",
    path: "/api/logs",
    scope: "full",
    summary: "The newest log records, newest first",
    query: LogQuery,
    response: {200: LogPage},
    handle: (_, call) => {
      const least = logLevels.indexOf((call.query.level as LogLevel | undefined) ?? "silly")
      const items = logs
        .recent()
        .filter(({level}) => logLevels.indexOf(level as LogLevel) >= least)
        .reverse()
        .slice(0, Number(call.query.limit))
      return call.json(LogPage, {items})
    },
  },
]
