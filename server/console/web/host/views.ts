import type * as api from "../../../../shared/api/api.ts"
import type * as jobs from "../../../../shared/api/jobs.ts"
import type * as plugins from "../../../../shared/api/plugin-views.ts"
import type {Static} from "../../../../shared/type.ts"

/** What the API answers, by name. A demo token gets less: what is private is missing. */
export type {CheckpointDetail, CheckpointTask, CheckpointView} from "../../../../shared/api/checkpoint.ts"
export type {DatabaseInfo} from "../../../../shared/api/database.ts"
export type {CalendarView, ClockChange} from "../../../../shared/api/job-calendar.ts"
export type {Component, IngressView, ReadinessReport} from "../../../../shared/api/readiness.ts"
export type {ReleaseView} from "../../../../shared/api/release.ts"
export type {Item, JournalRecord, WorkroomView} from "../../../../shared/api/workroom.ts"
export type {BoardItem, BoardView} from "../../../../shared/api/workroom-board.ts"
export type JobFileView = Static<typeof jobs.JobFileView>
export type JobView = Static<typeof jobs.JobView>
export type NextTimes = jobs.NextTimes
export type RunView = Static<typeof jobs.RunView>
export type SessionView = Static<typeof api.SessionView>
export type Status = Static<typeof api.Status>
export type EndpointView = Static<typeof api.EndpointView>
export type PluginView = Static<typeof plugins.PluginView>
export type PluginDetail = Static<typeof plugins.PluginDetail>
export type GenerationView = Static<typeof api.GenerationView>
export type InboxView = Static<typeof api.InboxView>
export type InboxDetail = Static<typeof api.InboxDetail>
export type OutboxView = Static<typeof api.OutboxView>
export type OutboxDetail = Static<typeof api.OutboxDetail>
export type GapView = Static<typeof api.GapView>
export type LogRecordView = Static<typeof api.LogRecordView>
export type RatesView = Static<typeof api.RatesView>

export interface Page<T> {
  readonly items: readonly T[]
  readonly next: string | null
}
