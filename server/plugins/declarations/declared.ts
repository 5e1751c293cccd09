import type {AdapterDefinition} from "../../../shared/sdk/adapter/adapter.ts"
import type {ActionDefinition, ActionHandler} from "../../../shared/sdk/plugin/action.ts"
import type {FormDefinition, FormHandler} from "../../../shared/sdk/plugin/declare-form.ts"
import type {TimerHandler} from "../../../shared/sdk/plugin/declare-timer.ts"
import type {HearsCall, HearsDefinition} from "../../../shared/sdk/plugin/hears.ts"
import type {JobDefinition, JobHandler} from "../../../shared/sdk/plugin/job.ts"
import type {PluginPage} from "../../../shared/sdk/plugin/page.ts"
import type {PromptDefinition, PromptHandler} from "../../../shared/sdk/plugin/prompt.ts"
import type {PluginRoute} from "../../../shared/sdk/plugin/route.ts"
import type {ToolDefinition, ToolHandler} from "../../../shared/sdk/plugin/tool.ts"
import type {OptionDefinition} from "../../../shared/sdk/session/command.ts"
import type {PluginMigration} from "../../../shared/sdk/session/database.ts"
import type {HandlerDefinition} from "../../../shared/sdk/session/handler.ts"
import type {CommandDefinition, Middleware, Reply, Session} from "../../../shared/sdk/session/session.ts"
import type {TimerDefinition} from "../../../shared/sdk/session/timer.ts"
import type {TSchema} from "../../../shared/type.ts"
import type {DeclaredState} from "../../database/state/plugin-state.ts"
import type {DeclaredTexts} from "./texts.ts"

/** A declared command, before its pattern is parsed. */
export interface DeclaredCommand {
  readonly pattern: string
  readonly definition: CommandDefinition<Record<string, OptionDefinition>>
  readonly handle: (call: never) => Reply
}

export interface DeclaredHandler {
  readonly id: string
  readonly type: string
  readonly definition: HandlerDefinition
  readonly handle: (session: Session) => Reply
}

/** A declared pattern, before it is compiled. */
export interface DeclaredHears {
  readonly id: string
  readonly pattern: string | RegExp
  /** The pattern as the plugin wrote it, for people. */
  readonly shown: string
  /** An error whose stack is that of the declaration. */
  readonly at: Error
  readonly definition: HearsDefinition
  readonly handle: (call: HearsCall<string>) => Reply
}

export interface DeclaredMiddleware {
  readonly id: string
  readonly around: Middleware
}

export interface DeclaredPrompt {
  readonly id: string
  readonly definition: PromptDefinition<TSchema>
  readonly handle: PromptHandler<unknown>
}

export interface DeclaredAction {
  readonly id: string
  readonly definition: ActionDefinition<TSchema>
  readonly handle: ActionHandler<never>
}

export interface DeclaredForm {
  readonly name: string
  /** The handler id of an answer. */
  readonly promptId: string
  /** The handler id of a press that starts the form. */
  readonly actionId: string
  readonly definition: FormDefinition
  readonly handle: FormHandler<never, never>
}

export interface DeclaredJob {
  readonly id: string
  readonly definition: JobDefinition
  readonly handle: JobHandler<never>
}

export interface DeclaredTimer {
  readonly id: string
  readonly definition: TimerDefinition
  readonly handle: TimerHandler<never>
}

export interface DeclaredTool {
  readonly id: string
  readonly definition: ToolDefinition
  readonly handle: ToolHandler<never>
}

/** The declarations of one `setup`. The maps are by name. */
export interface Registrations {
  readonly commands: readonly DeclaredCommand[]
  readonly handlers: readonly DeclaredHandler[]
  readonly hears: readonly DeclaredHears[]
  readonly middleware: readonly DeclaredMiddleware[]
  readonly prompts: ReadonlyMap<string, DeclaredPrompt>
  readonly actions: ReadonlyMap<string, DeclaredAction>
  readonly forms: ReadonlyMap<string, DeclaredForm>
  readonly jobs: ReadonlyMap<string, DeclaredJob>
  readonly timers: ReadonlyMap<string, DeclaredTimer>
  readonly tools: ReadonlyMap<string, DeclaredTool>
  readonly states: readonly DeclaredState[]
  readonly texts: readonly DeclaredTexts[]
  readonly adapters: ReadonlyMap<string, AdapterDefinition<TSchema>>
  readonly routes: readonly PluginRoute[]
  readonly pages: readonly PluginPage[]
  readonly services: ReadonlyMap<string, object>
  readonly migrations: readonly PluginMigration[]
  /** Functions that run once the instance is part of a committed generation. */
  readonly starts: readonly (() => unknown)[]
}
