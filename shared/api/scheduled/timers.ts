import {Type} from "../../type.ts"
import {PageQuery} from "../paging.ts"
import {Named, Time} from "../schemas.ts"

/** Timers of plugins as the HTTP API shows them. What is marked `private` is left out for a demo token. */

export const timerStates = ["waiting", "held", "failed"] as const

const TimerState = Type.Enum([...timerStates])

export const TimerQuery = Type.Object({...PageQuery.properties, state: Type.Optional(TimerState)})

export const TimerView = Named("TimerView", {
  id: Type.String(),
  seq: Type.Integer(),
  plugin: Type.String(),
  name: Type.String(),
  key: Type.Union([Type.String(), Type.Null()], {private: true, description: "The plugin's own name for it"}),
  state: TimerState,
  reason: Type.Union([Type.String(), Type.Null()], {
    private: true,
    description: "Why it failed or is held: its handler is gone, its data does not fit any more, or a restore holds it",
  }),
  dueAt: Time(),
  schedule: Type.Union([Type.String(), Type.Null()], {description: "How it goes on: every or cron; null fires once"}),
  timezone: Type.Union([Type.String(), Type.Null()]),
  missed: Type.Enum(["once", "skip"]),
  endpoint: Type.Union([Type.String(), Type.Null()]),
  channel: Type.Union([Type.String(), Type.Null()], {private: true}),
  user: Type.Union([Type.String(), Type.Null()], {private: true}),
  createdAt: Time(),
  fired: Type.Integer({description: "How often it has fired"}),
  lastFiredAt: Type.Union([Time(), Type.Null()]),
  revision: Type.String({
    private: true,
    description: "Another one once it has another schedule, time or data; a recurring one keeps it when it fires",
  }),
})

export const TimerDetail = Named("TimerDetail", {
  ...TimerView.properties,
  data: Type.Unknown({private: true, description: "What its handler gets"}),
})

export const TimersChanged = Named("TimersChanged", {
  timers: Type.Integer({description: "How many timers it was done to"}),
})
