import type * as agents from "../../../../shared/api/agents/agents.ts"
import type * as endpoints from "../../../../shared/api/endpoints.ts"
import type * as logs from "../../../../shared/api/logs.ts"
import type * as messages from "../../../../shared/api/messages.ts"
import type * as history from "../../../../shared/api/metrics/history.ts"
import type * as plugins from "../../../../shared/api/plugin-views.ts"
import type * as jobs from "../../../../shared/api/scheduled/jobs.ts"
import type * as timers from "../../../../shared/api/scheduled/timers.ts"
import type * as system from "../../../../shared/api/system.ts"
import type {Static} from "../../../../shared/type.ts"

export type {AlertsView, AlertTestResult} from "../../../../shared/alerts/api.ts"
/** The API's answers, by name. For a demo token, the private parts are missing. */
export type {
  AgentCheck,
  AgentRunView,
  AgentStepView,
  AgentView,
  ApprovalView,
} from "../../../../shared/api/agents/agents.ts"
export type {CheckpointDetail, CheckpointTask, CheckpointView} from "../../../../shared/api/checkpoint.ts"
export type {ConfigApplied, ConfigFile, ConfigPreview} from "../../../../shared/api/configuration/file.ts"
export type {DatabaseInfo} from "../../../../shared/api/database.ts"
export type {Page} from "../../../../shared/api/pages.ts"
export type {Component, IngressView, ReadinessReport} from "../../../../shared/api/readiness.ts"
export type {ReleaseView} from "../../../../shared/api/release.ts"
export type {CalendarView, ClockChange} from "../../../../shared/api/scheduled/job-calendar.ts"
export type {MayAnswer, Permissions, RuleView, UseView} from "../../../../shared/api/users/permissions.ts"
export type {Item, JournalRecord, WorkroomView} from "../../../../shared/api/workroom.ts"
export type {BoardItem, BoardView} from "../../../../shared/api/workroom-board.ts"
export type AgentRunDetail = Static<typeof agents.AgentRunDetail>
export type JobFileView = Static<typeof jobs.JobFileView>
export type JobView = Static<typeof jobs.JobView>
export type NextTimes = jobs.NextTimes
export type TimerDetail = Static<typeof timers.TimerDetail>
export type {DraftCheck, DraftFinding} from "../../../../shared/api/scheduled/drafts.ts"
export type TimerView = Static<typeof timers.TimerView>
export type RunView = Static<typeof jobs.RunView>
export type SessionView = Static<typeof system.SessionView>
export type Status = Static<typeof system.Status>
export type EndpointView = Static<typeof endpoints.EndpointView>
export type PluginView = Static<typeof plugins.PluginView>
export type PluginDetail = Static<typeof plugins.PluginDetail>
export type GenerationView = Static<typeof system.GenerationView>
export type InboxView = Static<typeof messages.InboxView>
export type InboxDetail = Static<typeof messages.InboxDetail>
export type OutboxView = Static<typeof messages.OutboxView>
export type OutboxDetail = Static<typeof messages.OutboxDetail>
export type GapView = Static<typeof endpoints.GapView>
export type LogRunView = Static<typeof logs.LogRunView>
export type LogRecordView = Static<typeof logs.LogRecordView>
export type MetricHistoryView = Static<typeof history.MetricHistoryView>
export type RatesView = Static<typeof messages.RatesView>
