import {LogPage, LogQuery, LogRuns} from "../../../shared/api/logs.ts"
import type {LogLevel} from "../../../shared/log.ts"
import type {Operation} from "../../../shared/sdk/route.ts"
import {Named, type Static, Type} from "../../../shared/type.ts"
import type {Generation} from "../../generation/generation.ts"
import type {Logs} from "../../logs/log.ts"
import {readEarlierLog, readLog} from "../../logs/page.ts"
import {type KeptRun, listRuns, viewRun} from "../../logs/runs/read-runs.ts"

const Config = Named("Config", {config: Type.Unknown()})

export const showConfig = (current: () => Generation): Operation => ({
  summary: "The running configuration; a secret is shown as [secret]",
  response: {200: Config},
  handle: (_, call) => call.json(Config, {config: current().config.config}),
})

/** `folder` contains the logs of earlier runs. */
export const listLogRecords = (logs: Logs, runtimeId: string, folder: string): Operation => ({
  summary: "The newest log records of a run, newest first; with `after`, the records after that one, oldest first",
  query: LogQuery,
  response: {200: LogPage},
  problems: ["log_unknown"],
  handle: async (_, call) => {
    const {level = "silly", plugin, limit = 200, cursor, after, run = runtimeId} = call.query as Static<typeof LogQuery>
    const asked = {
      filter: {level: level as LogLevel, plugin},
      limit,
      cursor: cursor === undefined ? undefined : Number(cursor),
      after,
    }
    const page =
      run === runtimeId
        ? readLog(logs, runtimeId, asked)
        : await readEarlierLog(logs, {folder, run, current: runtimeId}, asked)
    return call.json(LogPage, page)
  },
})

/** The log of the current run may not be on the disk yet. */
export const listLogRuns = (folder: string, current: Pick<KeptRun, "runtimeId" | "startedAt">): Operation => ({
  summary: "The runs whose log is kept, newest first; the first is the current run",
  response: {200: LogRuns},
  handle: async (_, call) => {
    const kept = await listRuns(folder)
    const isOwn = ({runtimeId}: KeptRun) => runtimeId === current.runtimeId
    const own = kept.find(isOwn) ?? {...current, writtenAt: Date.now(), size: 0, isCut: false}
    const runs = [own, ...kept.filter(run => !isOwn(run))]
    return call.json(LogRuns, {items: runs.map(viewRun)})
  },
})
