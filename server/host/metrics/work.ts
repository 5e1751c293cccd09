import {itemStates} from "../../../shared/api/item-rules.ts"
import type {Database} from "../../database/database.ts"
import {by, type Readings, single, singleOrNone} from "../../metrics/readings.ts"
import type {Checkpoints} from "../../recovery/checkpoint/checkpoints.ts"
import type {Workroom} from "../../workroom/workroom.ts"

/** The work items by state. Each state has a series before its first item. */
export const readWorkroom = ({items, counts}: Workroom) => {
  const states = Object.fromEntries(itemStates.map(state => [state, 0]))
  for (const {state} of items) states[state] = (states[state] ?? 0) + 1
  return {
    svc_workroom_items: by("state", states),
    svc_workroom_overdue_items: single(items.filter(({blocker}) => blocker?.overdue === true).length),
    svc_workroom_commands_total: by("outcome", {...counts}),
  } satisfies Partial<Readings>
}

export const noJobRuns = {svc_job_runs_total: []} satisfies Partial<Readings>

/** All ended runs of jobs, since the first one. */
export const readJobRuns = async (database: Database) => {
  const rows = await database.read("SELECT outcome, runs FROM job_run_totals")
  const totals = Object.fromEntries(rows.map(({outcome, runs}) => [String(outcome), Number(runs)]))
  return {svc_job_runs_total: by("outcome", totals)} satisfies Partial<Readings>
}

/** Only verified checkpoints count. */
export const readCheckpoints = (checkpoints: Checkpoints) => {
  const newest = checkpoints.newest(Date.now())
  return {
    svc_checkpoints_total: by("outcome", {...checkpoints.outcomes}),
    svc_checkpoint_verified_timestamp_seconds: singleOrNone(
      newest === null ? undefined : Date.parse(newest.createdAt) / 1000,
    ),
  } satisfies Partial<Readings>
}
