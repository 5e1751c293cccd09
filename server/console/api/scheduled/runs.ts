import {PageQuery} from "../../../../shared/api/paging.ts"
import {type JobView, RunView, runStates} from "../../../../shared/api/scheduled/jobs.ts"
import {toJson} from "../../../../shared/json.ts"
import {Problem} from "../../../../shared/problems.ts"
import type {Row} from "../../../../shared/sdk/plugin/database.ts"
import type {Call, Operation} from "../../../../shared/sdk/route.ts"
import {type Static, Type} from "../../../../shared/type.ts"
import type {Database} from "../../../database/database.ts"
import type {Jobs} from "../../../scheduler/jobs.ts"
import {newestFirst, timeOf} from "../../paging.ts"

const RunQuery = Type.Object({
  ...PageQuery.properties,
  job: Type.Optional(Type.String({minLength: 1, description: "Only runs of this job"})),
  state: Type.Optional(Type.Enum([...runStates])),
})

/** What is not asked for stands in no condition, so that the index of the rest is used. */
const filterOf = (wanted: Readonly<Record<"job" | "state", string | undefined>>) => {
  const given = Object.entries(wanted).flatMap(([column, value]) => (value === undefined ? [] : [{column, value}]))
  return {conditions: given.map(({column}) => `${column} = ?`), values: given.map(({value}) => value)}
}

const idOf = (call: Call) => call.params.id ?? ""

export const listRuns = (database: Database): Operation =>
  newestFirst({
    summary: "Runs of jobs, newest first",
    query: RunQuery,
    item: RunView,
    numberOf: ({seq}) => seq,
    read: async ({query}, before, most) => {
      const {job, state} = query as Static<typeof RunQuery>
      const {conditions, values} = filterOf({job, state})
      const where = ["seq < ?", ...conditions].join(" AND ")
      const rows = await database.read(`SELECT * FROM job_runs WHERE ${where} ORDER BY seq DESC LIMIT ?`, [
        before,
        ...values,
        most,
      ])
      return rows.map(viewRun)
    },
  })

export const showRun = (database: Database): Operation => ({
  summary: "One run",
  response: {200: RunView},
  problems: ["run_unknown"],
  handle: async (_, call) => call.json(RunView, await readRun(database, idOf(call))),
})

export const cancelRun = (jobs: Jobs, database: Database): Operation => ({
  summary: "End a run that is queued or running; what it has queued is not sent",
  response: {200: RunView},
  problems: ["run_unknown", "run_state"],
  handle: async (_, call) => {
    await jobs.scheduler.runner.cancel(idOf(call))
    return call.json(RunView, await readRun(database, idOf(call)))
  },
})

type View = Static<typeof JobView>

/** Jobs with the run of each that ended last. */
export const withLastRuns = async (database: Database, views: readonly View[]): Promise<View[]> => {
  const rows = await database.read(
    `SELECT r.* FROM json_each(?) AS each JOIN job_runs r ON r.seq =
      (SELECT seq FROM job_runs WHERE job = each.value AND ended_at IS NOT NULL ORDER BY seq DESC LIMIT 1)`,
    [toJson(views.map(({id}) => id))],
  )
  const last = new Map(
    rows.map(viewRun).map(({job, runId, state, reason, endedAt}) => [job, {runId, state, reason, endedAt}]),
  )
  return views.map(view => ({...view, lastRun: last.get(view.id) ?? null}))
}

const readRun = async (database: Database, id: string): Promise<Static<typeof RunView>> => {
  const [row] = await database.read("SELECT * FROM job_runs WHERE run_id = ?", [id])
  if (row === undefined) throw new Problem("run_unknown", `there is no run ${id}`)
  return viewRun(row)
}

const textOrNull = (value: unknown): string | null => (value === null || value === undefined ? null : String(value))

const viewRun = (row: Row): Static<typeof RunView> => ({
  runId: String(row.run_id),
  seq: Number(row.seq),
  job: String(row.job),
  trigger: row.cause as Static<typeof RunView>["trigger"],
  state: row.state as Static<typeof RunView>["state"],
  scheduledFor: timeOf(row.scheduled_for) ?? "",
  missedFrom: timeOf(row.missed_from),
  reason: textOrNull(row.reason),
  error: textOrNull(row.error),
  createdAt: timeOf(row.created_at) ?? "",
  startedAt: timeOf(row.started_at),
  endedAt: timeOf(row.ended_at),
  runtimeId: textOrNull(row.runtime_id),
})
