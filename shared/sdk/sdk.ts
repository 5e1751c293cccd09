/** The public plugin SDK: `import {definePlugin, Type} from "svc-runtime"`. */

export {parseJson, tryParseJson} from "../json.ts"
export type {Log, LogFields, LogLevel} from "../log.ts"
export {type CallFailure, type Issue, isProblem, Problem, type ProblemCode} from "../problems.ts"
export type {Call, Scope} from "../route.ts"
export {Secret} from "../secret.ts"
export {type Static, type TObject, type TSchema, Type} from "../type.ts"
export type {
  AdapterDefinition,
  AdapterFinding,
  CheckTools,
  Endpoint,
  History,
  Receipt,
  ReceiveOptions,
} from "./adapter/adapter.ts"
export {AnswerTooLarge, type FetchInit, fetchWhole, readStart, readText} from "./adapter/answer.ts"
export {type Backoff, pauseAfter} from "./adapter/backoff.ts"
export {withDeadline} from "./adapter/deadline.ts"
export type {DatedIncoming, Incoming} from "./adapter/incoming.ts"
export type {OwnMethods} from "./adapter/own-methods.ts"
export type {Answered, Post} from "./adapter/post.ts"
export {isRefusal, type Refusal, refused, retryAfter} from "./adapter/refusal.ts"
export type {
  CommandSummary,
  Edit,
  Feature,
  FileRef,
  HistoryPage,
  HistoryQuery,
  Limits,
  Outgoing,
  RateLimit,
  Reaction,
  Referred,
  Sender,
  Upload,
} from "./adapter/sender.ts"
export type {AcceptSocket, PlatformSocket, SocketHandler, SocketInit, SocketRefused} from "./adapter/socket.ts"
export {TokenBucket, type TokenBucketLimits} from "./adapter/token-bucket.ts"
export type {HmacScheme, Verifier, Verify} from "./adapter/verify.ts"
export type {Block} from "./content/blocks.ts"
export type {Elements} from "./content/element-table.ts"
export {type Content, type Element, h, isElement, type Node, renderContent} from "./content/elements.ts"
export type {FileElement, FileOptions, StoredFile} from "./content/file-source.ts"
export {type LowerOptions, lower} from "./content/lower.ts"
export {
  type Channel,
  channelType,
  type EventType,
  eventTypes,
  type Guild,
  type Login,
  type Message,
  type SatoriEvent,
  type User,
} from "./content/satori.ts"
export {
  b,
  type CardField,
  type CardOptions,
  card,
  code,
  file,
  i,
  image,
  type ListOptions,
  link,
  list,
  markdown,
  mention,
  quote,
  type TableOptions,
  table,
} from "./content/shorthands.ts"
export {textOf} from "./content/text.ts"
export {fileHeaders} from "./files/headers.ts"
export {decodeName} from "./files/name.ts"
export {fileElement, type ReadOptions, type SessionFile} from "./files/session-file.ts"
export type {MethodParameters, PlatformMethods} from "./platform/methods.ts"
export {platformMethods} from "./platform/names.ts"
export type {
  ActionCall,
  ActionDefinition,
  ActionHandle,
  ActionHandler,
  ButtonOptions,
  DeclareAction,
  SelectOption,
  SelectOptions,
} from "./plugin/action.ts"
export type {AgentHandle, AgentResult, AgentRunOptions} from "./plugin/agent.ts"
export type {DeclareForm, FormCall, FormDefinition, FormHandler} from "./plugin/declare-form.ts"
export type {DeclareTimer, TimerHandler} from "./plugin/declare-timer.ts"
export type {HearsCall, HearsDefinition, Match} from "./plugin/hears.ts"
export type {DeclareJob, DefaultSchedule, JobDefinition, JobHandler, JobRun} from "./plugin/job.ts"
export type {PageFolder, PageHandler} from "./plugin/page.ts"
export {
  type AnyPlugin,
  definePlugin,
  type Plugin,
  type PluginDefinition,
  type SendOptions,
  type SentMessage,
} from "./plugin/plugin.ts"
export type {DeclarePrompt, PromptCall, PromptDefinition, PromptHandler} from "./plugin/prompt.ts"
export type {PluginAnswer, PluginCall, PluginRoute} from "./plugin/route.ts"
export {type Service, service, type UsedServices, type Uses} from "./plugin/service.ts"
export type {DeclareTool, ToolCall, ToolDefinition, ToolEffect, ToolHandler} from "./plugin/tool.ts"
export type {
  DeclareWebhook,
  EventCall,
  RequestValue,
  WebhookCall,
  WebhookDefinition,
  WebhookRequest,
} from "./plugin/webhook.ts"
export {
  type NewWorkItem,
  type WorkItem,
  type WorkItemActor,
  type WorkItemChange,
  type WorkItems,
  workItems,
} from "./plugin/work-items.ts"
export type {Arguments, ArgumentType, Cooldown, OptionDefinition} from "./session/command.ts"
export type {
  PluginDatabase,
  PluginMigration,
  Row,
  SqlValue,
  Statement,
  WriteResult,
  WriteStatement,
} from "./session/database.ts"
export type {FormHandle, Handle, PromptHandle, TimerHandle} from "./session/handle.ts"
export type {EventFilter, HandlerDefinition, HandlerOrder} from "./session/handler.ts"
export type {Permission} from "./session/permission.ts"
export type {
  CommandCall,
  CommandDefinition,
  Expiry,
  MessageTarget,
  Middleware,
  Next,
  Quoted,
  RawEvent,
  Reply,
  Session,
  SessionDatabase,
  Target,
} from "./session/session.ts"
export type {DeclareState, StateHandle, StateOptions, StateScope, StateSubject, StateValue} from "./session/state.ts"
export type {ListedTimer, TimerDefinition, TimerFired, TimerOptions, TimerPlace, When} from "./session/timer.ts"
export {UserError} from "./session/user-error.ts"
export {decodeEntities} from "./text/entities.ts"
export type {
  DeclareTexts,
  LocalText,
  SayText,
  TextKey,
  TextRest,
  Texts,
  TextTable,
  TextValue,
  TextValues,
  ZonedDate,
} from "./text/texts.ts"
