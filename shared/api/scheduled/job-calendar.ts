import {type Static, Type} from "../../type.ts"
import {Named, Time} from "../schemas.ts"

/** A moment at which a timezone's clock goes forward or back. */
export const ClockChange = Named("ClockChange", {
  timezone: Type.String(),
  at: Time("When"),
  before: Type.String({description: "Offset from UTC until then, as +01:00"}),
  after: Type.String({description: "Offset from UTC from then on"}),
})
export type ClockChange = Static<typeof ClockChange>

export const CalendarView = Named("CalendarView", {
  timezone: Type.String({description: "Whose days these are"}),
  complete: Type.Boolean({description: "False where there are more times than are told"}),
  days: Type.Array(
    Named("CalendarDay", {
      date: Type.String({description: "As 2026-03-29"}),
      from: Time("Its begin"),
      to: Time("Its end; on a day of a clock change it is not 24 hours long"),
      changes: Type.Array(ClockChange, {description: "In this timezone, and in those of jobs that come on this day"}),
      jobs: Type.Array(
        Named("CalendarJob", {
          job: Type.String(),
          timezone: Type.String({description: "The job's"}),
          more: Type.Boolean({description: "It comes more often on this day than is told"}),
          times: Type.Array(
            Type.Object({
              scheduledFor: Time("The due time"),
              firesAt: Time("With jitter"),
              local: Type.String({description: "The due time in the job's timezone"}),
            }),
          ),
        }),
        {description: "By their first time"},
      ),
    }),
  ),
})
export type CalendarView = Static<typeof CalendarView>

export const CalendarQuery = Type.Object({
  from: Type.Optional(Time("Not before this time; now when left out")),
  days: Type.Optional(
    Type.Integer({minimum: 1, maximum: 31, default: 7, description: "How many, the first one included"}),
  ),
  timezone: Type.Optional(Type.String({default: "UTC", description: "IANA: whose days it is to be"})),
  limit: Type.Optional(
    Type.Integer({minimum: 1, maximum: 100, default: 10, description: "Times of one job on one day"}),
  ),
})
