import {Named, Optional, Time, Type} from "../../type.ts"
import type {ItemCommand} from "../item-rules.ts"
import {Accepted, BulkChanged, CutRequest, WaitingTimers} from "../messages.ts"
import {PageQuery, page} from "../pages.ts"
import {DraftCheck, JobDraft, TimerChange, TimerDraft, TimerDraftCheck} from "../scheduled/drafts.ts"
import {CalendarView} from "../scheduled/job-calendar.ts"
import {Job, JobChange, JobFileView, JobRemoval, JobView, NextView} from "../scheduled/jobs.ts"
import {TimerDetail, TimerQuery, TimerView} from "../scheduled/timers.ts"
import {commandBodies, Item, ItemQuery, RecordView, VerificationView, WorkroomView} from "../workroom.ts"
import {BoardView} from "../workroom-board.ts"
import {get, pages, post} from "./operation.ts"

/** The operations on timers, jobs and work items. */

const onTimer = <const N extends string>(action: N, summary: string) =>
  post(`/api/timers/:id/${action}`, "operator", {
    summary,
    answer: Named("TimersChanged", {timers: Type.Integer({description: "How many timers changed"})}),
    problems: ["timer_unknown", "timer_state"],
  })

export const timerOperations = {
  list: get("/api/timers", "demo", {
    summary: "Plugins' timers that are waiting, held or failed, newest first",
    query: TimerQuery,
    answer: page(TimerView),
  }),
  show: get("/api/timers/:id", "demo", {summary: "One timer, by id", answer: TimerDetail, problems: ["timer_unknown"]}),
  add: post("/api/timers", "operator", {
    summary: "Set a timer for a plugin that declares it; it is durable once this returns",
    body: TimerDraft,
    answer: Accepted,
    status: 201,
    problems: ["timer_unknown", "timer_invalid", "endpoint_unknown", "conflict"],
  }),
  check: post("/api/timers/check", "viewer", {
    summary: "Check a timer before it is set: its problems, and when it would fire; nothing is stored",
    body: TimerDraftCheck,
    answer: DraftCheck,
  }),
  edit: post("/api/timers/:id/edit", "operator", {
    summary: "Change a timer's time or data; a failed timer waits again",
    body: TimerChange,
    answer: Accepted,
    problems: ["timer_unknown", "timer_invalid", "conflict"],
  }),
  release: onTimer("release", "Let a held timer fire at its time, or with the id `held` all of them"),
  cancel: onTimer("cancel", "Delete a timer, whatever its state, or with the id `held` all held ones"),
  hold: onTimer("hold", "Hold a waiting timer until somebody releases it"),
  bulk: post("/api/timers/bulk", "operator", {
    summary: "Cancel or hold all waiting timers that match the filters, a page at a time; a repeating timer ends too",
    query: WaitingTimers,
    body: CutRequest,
    answer: BulkChanged,
  }),
}

const jobProblems = ["job_unknown", "conflict", "jobs_invalid"] as const

export const jobOperations = {
  calendar: get("/api/calendar", "demo", {
    summary: "When jobs are due, day by day, with clock changes",
    query: Type.Object({
      from: Type.Optional(Time("Not before this time; now when left out")),
      days: Optional.Integer({minimum: 1, maximum: 31, default: 7, description: "Number of days, including the first"}),
      timezone: Optional.String({default: "UTC", description: "IANA timezone of the days"}),
      limit: Optional.Integer({minimum: 1, maximum: 100, default: 10, description: "The most times per job and day"}),
    }),
    answer: CalendarView,
  }),
  list: get("/api/jobs", "demo", {
    summary: "The scheduled jobs, by id, and whether the Host accepts the job file as it is",
    query: PageQuery,
    answer: Named("JobPage", {...page(JobView).properties, file: JobFileView}),
  }),
  show: get("/api/jobs/:id", "demo", {summary: "One job", answer: JobView, problems: ["job_unknown"]}),
  next: get("/api/jobs/:id/next", "demo", {
    summary: "The next due times of a job",
    query: Type.Object({count: Optional.Integer({minimum: 1, maximum: 100, default: 5, description: "How many"})}),
    answer: NextView,
    problems: ["job_unknown"],
  }),
  add: post("/api/jobs", "operator", {
    summary: "Add a job; it is in the file once this returns",
    body: Job,
    answer: JobView,
    status: 201,
    problems: ["conflict", "jobs_invalid"],
  }),
  check: post("/api/jobs/check", "viewer", {
    summary: "Check a job before it is added: its problems, and when it would be due; nothing is stored",
    body: JobDraft,
    answer: DraftCheck,
  }),
  edit: post("/api/jobs/:id/edit", "operator", {
    summary: "Change the fields that the body names",
    body: JobChange,
    answer: JobView,
    problems: jobProblems,
  }),
  pause: post("/api/jobs/:id/pause", "operator", {
    summary: "Disable a job, across restarts; its queued runs are cancelled",
    answer: JobView,
    problems: jobProblems,
  }),
  resume: post("/api/jobs/:id/resume", "operator", {
    summary: "Enable a job; the Host does not catch up on missed runs",
    answer: JobView,
    problems: jobProblems,
  }),
  run: post("/api/jobs/:id/run", "operator", {
    summary: "Run a job now, due or not; the run is durable once this returns",
    answer: Accepted,
    status: 202,
    problems: ["job_unknown", "conflict", "ingress_paused"],
  }),
  remove: post("/api/jobs/:id/remove", "operator", {
    summary: "Remove a job from the file; its runs stay in the list",
    body: JobRemoval,
    answer: Accepted,
    problems: jobProblems,
  }),
}

const onItem = <const N extends ItemCommand>(command: N, summary: string) =>
  post(`/api/workroom/items/:id/${command}`, "operator", {
    summary,
    body: commandBodies[command],
    answer: Item,
    problems: ["workroom_unknown", "workroom_stale", "workroom_state", "workroom_failed", "workroom_outcome_unknown"],
  })

export const workroomOperations = {
  show: get("/api/workroom", "demo", {
    summary: "The workroom: its store, the end of its Journal, and how many items are in each state",
    answer: WorkroomView,
  }),
  items: get("/api/workroom/items", "demo", {
    summary: "Work items, newest first",
    query: ItemQuery,
    answer: page(Item),
  }),
  board: get("/api/workroom/board", "demo", {
    summary: "Work items by state: blocked items first, and the most urgent first in each state",
    query: Type.Object({
      limit: Optional.Integer({minimum: 1, maximum: 500, default: 50, description: "Items per column"}),
      label: ItemQuery.properties.label,
      assignee: ItemQuery.properties.assignee,
      text: Optional.String({
        private: true,
        minLength: 1,
        maxLength: 200,
        description: "Only items with this text in title or description",
      }),
    }),
    answer: BoardView,
  }),
  itemJournal: get("/api/workroom/items/:id/journal", "viewer", {
    summary: "Records of the workroom's Journal about one item, newest first",
    query: PageQuery,
    answer: page(RecordView),
    problems: ["workroom_unknown"],
  }),
  item: get("/api/workroom/items/:id", "demo", {summary: "A work item", answer: Item, problems: ["workroom_unknown"]}),
  add: post("/api/workroom/items", "operator", {
    summary: "Add a work item; it is durable once this returns",
    body: commandBodies.add,
    answer: Item,
    status: 201,
    problems: ["workroom_failed", "workroom_outcome_unknown"],
  }),
  claim: onItem("claim", "Claim an open item, take over an active one, or resume one whose work was not accepted"),
  block: onItem("block", "Block an active item, and say what it waits for"),
  unblock: onItem("unblock", "Unblock a blocked item"),
  review: onItem("review", "Hand an active item in for review"),
  accept: onItem("accept", "Accept the work on an item in review: it is done"),
  cancel: onItem("cancel", "Cancel an open item"),
  comment: onItem("comment", "Comment on an item"),
  journal: pages("/api/workroom/journal", "viewer", RecordView, "Records of the workroom's Journal, newest first"),
  verify: post("/api/workroom/verify", "viewer", {
    summary: "Check the whole Journal, and that the Catalog matches it",
    answer: VerificationView,
    problems: ["workroom_damaged"],
  }),
}
