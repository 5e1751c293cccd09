import {Named, orNull, type Static, Time, Type} from "../../type.ts"
import {PageQuery} from "../pages.ts"

/** Timers of plugins as the HTTP API shows them. A demo token does not see fields marked `private`. */

export const timerStates = ["waiting", "held", "failed"] as const

const TimerState = Type.Enum([...timerStates])

export const TimerQuery = Type.Object({...PageQuery.properties, state: Type.Optional(TimerState)})

export const TimerView = Named("TimerView", {
  id: Type.String(),
  seq: Type.Integer(),
  plugin: Type.String(),
  name: Type.String(),
  key: orNull(Type.String(), {private: true, description: "The plugin's key for it"}),
  state: TimerState,
  reason: orNull(Type.String(), {
    private: true,
    description:
      "Why it failed or is held: its handler no longer exists, its data no longer fits, or a restore or an operator holds it",
  }),
  dueAt: Time(),
  schedule: orNull(Type.String(), {description: "How it repeats: every or cron; null if it fires once"}),
  timezone: orNull(Type.String()),
  missed: Type.Enum(["once", "skip"]),
  endpoint: orNull(Type.String()),
  channel: orNull(Type.String(), {private: true}),
  user: orNull(Type.String(), {private: true}),
  createdAt: Time(),
  fired: Type.Integer({description: "How many times it has fired"}),
  lastFiredAt: orNull(Time()),
  revision: Type.String({
    private: true,
    description: "Changes with the schedule, time or data. Firing does not change the revision of a recurring timer",
  }),
})
export type TimerView = Static<typeof TimerView>

export const TimerDetail = Named("TimerDetail", {
  ...TimerView.properties,
  data: Type.Unknown({private: true, description: "Data for its handler"}),
})
export type TimerDetail = Static<typeof TimerDetail>
