import {Named, NamedClosed, Optional, orNull, type Static, Type} from "../../type.ts"
import {ClockChange} from "./job-calendar.ts"
import {NextView, period, timePattern} from "./jobs.ts"

/** A job or timer that somebody is typing, and the Host's findings before it is stored. */

const viewed = {
  viewer: Optional.String({maxLength: 100, description: "The viewer's timezone, whose clock changes are reported too"}),
  count: Optional.Integer({minimum: 1, maximum: 100, default: 5, description: "How many upcoming times to return"}),
}

export const JobDraft = NamedClosed("JobDraft", {
  job: Type.Unknown({private: true, description: "The job as typed so far"}),
  replaces: Optional.String({maxLength: 64, description: "The id of the job that is being edited"}),
  ...viewed,
})
export type JobDraft = Static<typeof JobDraft>

export const DraftFinding = Named("DraftFinding", {
  path: Type.String({description: "The field, such as schedule.cron; empty for the whole draft"}),
  message: Type.String({private: true}),
  column: Optional.Integer({description: "The column in the text of that field, from 1"}),
})
export type DraftFinding = Static<typeof DraftFinding>

export const DraftCheck = Named("DraftCheck", {
  findings: Type.Array(DraftFinding, {description: "What prevents storing it; empty if nothing does"}),
  next: orNull(NextView, {description: "Its upcoming times; null while its schedule or timezone is not valid"}),
  changes: Type.Array(ClockChange, {
    description:
      "Clock changes of its timezone and the viewer's, up to the last of these times and at most 400 days ahead",
  }),
})
export type DraftCheck = Static<typeof DraftCheck>

/** Exactly one of `at`, `in`, `every` and `cron`. */
export const TimerWhen = NamedClosed("TimerWhen", {
  at: Optional.String({pattern: timePattern, description: "Once, at this time"}),
  in: Optional.String({pattern: period, description: "Once, after this time: 30s, 15m, 24h, 7d"}),
  every: Optional.String({pattern: period, description: "Repeatedly, at this interval"}),
  cron: Optional.String({minLength: 1, description: "Five fields, or six with seconds first"}),
  timezone: Optional.String({
    minLength: 1,
    description: "IANA timezone of `at` and `cron`. `cron` requires it; `at` defaults to UTC",
  }),
})
export type TimerWhen = Static<typeof TimerWhen>

const Data = Type.Optional(Type.Unknown({private: true, description: "Data for its handler"}))

/** A timer that an operator sets for a plugin that declares it. */
export const TimerDraft = NamedClosed("TimerDraft", {
  plugin: Type.String({minLength: 1}),
  name: Type.String({minLength: 1, description: "A name that the plugin declares with plugin.timer"}),
  when: TimerWhen,
  data: Data,
  key: Optional.String({minLength: 1, maxLength: 200, private: true, description: "The plugin's key for it"}),
  endpoint: Optional.String({minLength: 1, description: "The endpoint of its conversation, where its handler replies"}),
  channel: Optional.String({minLength: 1, private: true}),
  user: Optional.String({minLength: 1, private: true}),
})
export type TimerDraft = Static<typeof TimerDraft>

export const TimerChange = NamedClosed("TimerChange", {
  when: Type.Optional(TimerWhen),
  data: Data,
  expectedRevision: Optional.String({description: "Fails with 409 if the timer has another revision"}),
})
export type TimerChange = Static<typeof TimerChange>

export const TimerDraftCheck = NamedClosed("TimerDraftCheck", {
  timer: Type.Unknown({private: true, description: "The timer as typed so far"}),
  ...viewed,
})
export type TimerDraftCheck = Static<typeof TimerDraftCheck>
