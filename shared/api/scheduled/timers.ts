import {type Static, Type} from "../../type.ts"
import {PageQuery} from "../paging.ts"
import {Named, Time} from "../schemas.ts"

/** Timers of plugins as the HTTP API shows them. A demo token does not see fields marked `private`. */

export const timerStates = ["waiting", "held", "failed"] as const

const TimerState = Type.Enum([...timerStates])

export const TimerQuery = Type.Object({...PageQuery.properties, state: Type.Optional(TimerState)})

export const TimerView = Named("TimerView", {
  id: Type.String(),
  seq: Type.Integer(),
  plugin: Type.String(),
  name: Type.String(),
  key: Type.Union([Type.String(), Type.Null()], {private: true, description: "The plugin's key for it"}),
  state: TimerState,
  reason: Type.Union([Type.String(), Type.Null()], {
    private: true,
    description:
      "Why it failed or is held: its handler no longer exists, its data no longer fits, or a restore holds it",
  }),
  dueAt: Time(),
  schedule: Type.Union([Type.String(), Type.Null()], {
    description: "How it repeats: every or cron; null if it fires once",
  }),
  timezone: Type.Union([Type.String(), Type.Null()]),
  missed: Type.Enum(["once", "skip"]),
  endpoint: Type.Union([Type.String(), Type.Null()]),
  channel: Type.Union([Type.String(), Type.Null()], {private: true}),
  user: Type.Union([Type.String(), Type.Null()], {private: true}),
  createdAt: Time(),
  fired: Type.Integer({description: "How many times it has fired"}),
  lastFiredAt: Type.Union([Time(), Type.Null()]),
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

export const TimersChanged = Named("TimersChanged", {
  timers: Type.Integer({description: "How many timers changed"}),
})
