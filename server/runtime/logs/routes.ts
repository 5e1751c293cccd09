import {logOperations} from "../../../shared/api/operations/host.ts"
import {serve} from "../../../shared/api/operations/operation.ts"
import type {Logs} from "./log.ts"
import {readEarlierLog, readLog} from "./page.ts"
import {type KeptRun, listRuns, viewRun} from "./read-runs.ts"

/** `folder` contains the logs of earlier runs. */
export const logRoutes = (logs: Logs, current: Pick<KeptRun, "runtimeId" | "startedAt">, folder: string) =>
  serve(logOperations, {
    list: async ({query: {level = "silly", plugin, limit = 200, cursor, after, run = current.runtimeId}}) => {
      const asked = {filter: {level, plugin}, limit, cursor: cursor === undefined ? undefined : Number(cursor), after}
      return run === current.runtimeId
        ? readLog(logs, run, asked)
        : await readEarlierLog(logs, {folder, run, current: current.runtimeId}, asked)
    },
    // The log of the current run may not be on the disk yet.
    runs: async () => {
      const kept = await listRuns(folder)
      const isOwn = ({runtimeId}: KeptRun) => runtimeId === current.runtimeId
      const own = kept.find(isOwn) ?? {...current, writtenAt: Date.now(), size: 0, isCut: false}
      return {items: [own, ...kept.filter(run => !isOwn(run))].map(viewRun)}
    },
  })
