/** The public plugin SDK: `import {definePlugin, Type} from "svc-runtime"`. */
export type {Arguments, ArgumentType, Cooldown, OptionDefinition} from "./command.ts"
export {type Content, type Element, h, isElement, type Node, renderContent, textOf} from "./elements.ts"
export type {Log, LogFields, LogLevel} from "./log.ts"
export type {Permission} from "./permission.ts"
export {
  type AdapterDefinition,
  type AnyPlugin,
  type CommandCall,
  type CommandDefinition,
  definePlugin,
  type Endpoint,
  type HandlerDefinition,
  type Incoming,
  type Middleware,
  type Next,
  type Outgoing,
  type Plugin,
  type PluginDatabase,
  type PluginDefinition,
  type PluginMigration,
  type PluginRoute,
  type RateLimit,
  type Reaction,
  type Receipt,
  type Refusal,
  type Reply,
  type Row,
  refused,
  retryAfter,
  type Sender,
  type Session,
  type SessionDatabase,
  type SqlValue,
  type Statement,
  type Target,
} from "./plugin.ts"
export {type Issue, Problem, type ProblemCode} from "./problems.ts"
export type {DeclarePrompt, PromptCall, PromptDefinition, PromptHandler} from "./prompt.ts"
export type {Call, Scope} from "./route.ts"
export {type Channel, channelType, type Login, type Message, type SatoriEvent, type User} from "./satori.ts"
export {Secret} from "./secret.ts"
export {type Static, type TSchema, Type} from "./type.ts"
