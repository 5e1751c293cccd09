import {Option, type Usage} from "clipanion"
import type {RunView} from "../../shared/api/scheduled/jobs.ts"
import {shorten} from "../kit/print.ts"
import {listCommand, postCommand, rowCommand, tableOf} from "../kit/rows.ts"
import {describeJob, describeSchedule, describeTarget} from "../kit/schedule/command.ts"
import {type JobList, openJobs} from "../kit/schedule/jobs-access.ts"

export const cancel = postCommand({
  description: "cancel a queued or running run",
  details: "The Host does not send the messages that the run has queued. Needs a running Host.",
  examples: [["A run that takes too long", "svc schedule cancel 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e"]],
  options: {id: Option.String({name: "run"})},
  path: "/api/runs/:id/cancel",
  describe: run => `${run.runId} of ${run.kind === "job" ? run.job : run.agent} is ${run.state}`,
})

export const list = rowCommand({
  description: "list the scheduled jobs",
  details: "If the Host is stopped, it lists the jobs in data/schedule-jobs.json, which the next start loads.",
  examples: [
    ["All jobs", "svc schedule list"],
    ["As JSON", "svc schedule list --json"],
  ],
  run: async given => given.show(await (await openJobs(given)).list(), describeJobs),
})

const describeJobs = ({items, file}: JobList): string =>
  [
    ...(file.refused === null
      ? []
      : [
          `data/schedule-jobs.json is not in effect: ${file.refused.detail}`,
          ...(file.refused.issues ?? []).map(issue => `  ${issue}`),
        ]),
    items.length === 0
      ? "no jobs"
      : tableOf(
          {
            id: ({id}) => id,
            on: ({enabled}) => (enabled ? "yes" : "no"),
            schedule: ({schedule}) => describeSchedule(schedule),
            timezone: ({timezone}) => timezone,
            next: ({nextAt}) => nextAt ?? "never",
            target: ({target}) => shorten(describeTarget(target), 40),
            problem: ({problem}) => problem,
          },
          items,
        ),
  ].join("\n")

const turn = (enabled: boolean, usage: Usage) =>
  rowCommand({
    ...usage,
    options: {id: Option.String({name: "id"})},
    run: async given => given.show(await (await openJobs(given)).edit(given.id, {enabled}), describeJob),
  })

export const pause = turn(false, {
  description: "turn a scheduled job off",
  details:
    "The job stays in the file, turned off, until svc schedule resume. Its queued runs are cancelled; a running one continues.",
  examples: [["No stand-up in August", "svc schedule pause standup"]],
})

export const resume = turn(true, {
  description: "turn a scheduled job on",
  details: "The job does not make up for times that were due while it was off.",
  examples: [["Turn the job standup on", "svc schedule resume standup"]],
})

export const remove = rowCommand({
  description: "remove a scheduled job from the file",
  details: "svc schedule runs still lists its runs. Its queued runs are cancelled; a running one continues.",
  examples: [["One job", "svc schedule remove standup"]],
  options: {
    id: Option.String({name: "id"}),
    revision: Option.String("--revision", {description: "The revision that you read; refused if it has changed since"}),
  },
  run: async given => {
    const {id, revision} = given
    await (await openJobs(given)).remove(id, revision === undefined ? {} : {expectedRevision: revision})
    given.show({id}, () => `removed ${id}`)
  },
})

export const run = postCommand({
  description: "run a scheduled job now, due or not",
  details: "Queues a run and prints its id; svc schedule runs shows its result. Needs a running Host.",
  examples: [["Try a job", "svc schedule run standup"]],
  options: {id: Option.String({name: "id"})},
  path: "/api/jobs/:id/run",
  describe: ({id}, call) => `queued run ${id} of ${call.id}; svc schedule runs ${call.id} shows its result`,
})

export const runs = listCommand({
  description: "list runs of scheduled jobs, newest first",
  details: "Needs a running Host.",
  examples: [
    ["The newest runs", "svc schedule runs"],
    ["Failed runs of one job", "svc schedule runs standup --state failed"],
  ],
  path: "/api/runs",
  filters: {
    job: Option.String({name: "job", required: false}),
    state: Option.String("--state", {
      description: "Only runs in this state: queued, running, succeeded, failed, cancelled or skipped",
    }),
  },
  columns: {
    run: ({runId}: RunView) => runId,
    job: ({job}) => job,
    due: ({scheduledFor}) => scheduledFor,
    trigger: ({trigger}) => trigger,
    state: ({state}) => state,
    reason: ({reason}) => reason,
    error: ({error}) => shorten(error ?? "", 60),
  },
})

export const show = rowCommand({
  description: "show one scheduled job: its next time, its target and the result of its last run",
  details: "If the Host is stopped, it shows the job from data/schedule-jobs.json, without the last run.",
  examples: [["A job that svc schedule list shows", "svc schedule show standup"]],
  options: {id: Option.String({name: "id"})},
  run: async given => given.show(await (await openJobs(given)).show(given.id), describeJob),
})
