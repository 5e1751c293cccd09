import {Named, type Static, Time, Type} from "../../type.ts"

/** A moment at which the clock of a timezone changes. */
export const ClockChange = Named("ClockChange", {
  timezone: Type.String(),
  at: Time("When the clock changes"),
  before: Type.String({description: "Offset from UTC before, such as +01:00"}),
  after: Type.String({description: "Offset from UTC after"}),
})
export type ClockChange = Static<typeof ClockChange>

export const DueTime = Type.Object({
  scheduledFor: Time("The due time"),
  firesAt: Time("With jitter"),
  local: Type.String({description: "The due time in the job's timezone"}),
})

export const CalendarView = Named("CalendarView", {
  timezone: Type.String({description: "The timezone of these days"}),
  complete: Type.Boolean({description: "False if there are more times than shown"}),
  days: Type.Array(
    Named("CalendarDay", {
      date: Type.String({description: "Such as 2026-03-29"}),
      from: Time("Its start"),
      to: Time("Its end. A day with a clock change is not 24 hours long"),
      changes: Type.Array(ClockChange, {description: "In this timezone, and in the timezones of jobs on this day"}),
      jobs: Type.Array(
        Named("CalendarJob", {
          job: Type.String(),
          timezone: Type.String({description: "The job's timezone"}),
          more: Type.Boolean({description: "True if it runs more often on this day than shown"}),
          times: Type.Array(DueTime),
        }),
        {description: "Sorted by their first time"},
      ),
    }),
  ),
})
export type CalendarView = Static<typeof CalendarView>
