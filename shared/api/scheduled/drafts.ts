import {type Static, Type} from "../../type.ts"
import {Named, orNull} from "../schemas.ts"
import {ClockChange} from "./job-calendar.ts"
import {NextView, period, timePattern} from "./jobs.ts"

/** What somebody is typing, a job or a timer, and what the Host says to it before it is stored. */

const closed = {additionalProperties: false}

const viewed = {
  viewer: Type.Optional(
    Type.String({maxLength: 100, description: "The timezone of whoever looks: its clock changes are told too"}),
  ),
  count: Type.Optional(Type.Integer({minimum: 1, maximum: 100, default: 5, description: "How many coming times"})),
}

export const JobDraft = Named(
  "JobDraft",
  {
    job: Type.Unknown({private: true, description: "The job as far as it is typed"}),
    replaces: Type.Optional(Type.String({maxLength: 64, description: "The id of the job that is being edited"})),
    ...viewed,
  },
  closed,
)
export type JobDraft = Static<typeof JobDraft>

export const DraftFinding = Named("DraftFinding", {
  path: Type.String({description: "Which field, such as schedule.cron; empty for the whole"}),
  message: Type.String({private: true}),
  column: Type.Optional(Type.Integer({description: "Where in the text of that field, counted from 1"})),
})
export type DraftFinding = Static<typeof DraftFinding>

export const DraftCheck = Named("DraftCheck", {
  findings: Type.Array(DraftFinding, {description: "What keeps it from being stored; empty where nothing does"}),
  next: orNull(NextView, {description: "Its coming times; null while its schedule or timezone is not valid"}),
  changes: Type.Array(ClockChange, {
    description:
      "Clock changes up to the last of these times, at most 400 days ahead, of its timezone and the viewer's",
  }),
})
export type DraftCheck = Static<typeof DraftCheck>

/** Exactly one of `at`, `in`, `every` and `cron`. */
export const TimerWhen = Named(
  "TimerWhen",
  {
    at: Type.Optional(Type.String({pattern: timePattern, description: "Once, at this time"})),
    in: Type.Optional(Type.String({pattern: period, description: "Once, so long from now: 30s, 15m, 24h, 7d"})),
    every: Type.Optional(Type.String({pattern: period, description: "Each time so much has passed"})),
    cron: Type.Optional(Type.String({minLength: 1, description: "Five fields, or six with seconds first"})),
    timezone: Type.Optional(
      Type.String({minLength: 1, description: "IANA: whose clock `at` and `cron` mean; `cron` needs it, UTC else"}),
    ),
  },
  closed,
)
export type TimerWhen = Static<typeof TimerWhen>

const Data = Type.Optional(Type.Unknown({private: true, description: "What its handler gets"}))

/** A timer that an operator sets for a plugin that declares it. */
export const TimerDraft = Named(
  "TimerDraft",
  {
    plugin: Type.String({minLength: 1}),
    name: Type.String({minLength: 1, description: "What the plugin declares with plugin.timer"}),
    when: TimerWhen,
    data: Data,
    key: Type.Optional(
      Type.String({minLength: 1, maxLength: 200, private: true, description: "The plugin's own name for it"}),
    ),
    endpoint: Type.Optional(Type.String({minLength: 1, description: "Where it belongs: its handler answers there"})),
    channel: Type.Optional(Type.String({minLength: 1, private: true})),
    user: Type.Optional(Type.String({minLength: 1, private: true})),
  },
  closed,
)
export type TimerDraft = Static<typeof TimerDraft>

export const TimerChange = Named(
  "TimerChange",
  {
    when: Type.Optional(TimerWhen),
    data: Data,
    expectedRevision: Type.Optional(
      Type.String({description: "Refuses with 409 where the timer has another revision by now"}),
    ),
  },
  closed,
)
export type TimerChange = Static<typeof TimerChange>

export const TimerDraftCheck = Named(
  "TimerDraftCheck",
  {
    timer: Type.Unknown({private: true, description: "The timer as far as it is typed"}),
    ...viewed,
  },
  closed,
)
export type TimerDraftCheck = Static<typeof TimerDraftCheck>
