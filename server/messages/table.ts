import type {AgeKind, CommandRates, HandlerOrders, MaxAges} from "../../shared/config/config.ts"
import type {Log} from "../../shared/log.ts"
import type {HandlerOrder} from "../../shared/sdk/session/handler.ts"
import {AgeLimits, kindOf} from "./age-limits.ts"
import type {Command} from "./command/command.ts"
import {helpCommand} from "./command/help.ts"
import type {PermissionOf, RuleOf} from "./command/permissions.ts"
import {Router} from "./command/router.ts"
import type {Form} from "./forms/form.ts"
import type {HearsHandler} from "./hears.ts"
import {languageCommand} from "./language/command.ts"
import {type Languages, oneLanguage} from "./language/languages.ts"
import {CommandLimits} from "./limits/limits.ts"
import type {
  ActionRunner,
  ChoosingHandler,
  Continuation,
  EventHandler,
  Handler,
  TimerRunner,
} from "./session/handler.ts"
import type {MiddlewareHandler} from "./session/run-handler.ts"
import {HostTexts} from "./texts/host-texts.ts"

/** How the running generation handles messages. */
export interface MessageTable {
  readonly router: Router
  /** The handlers of each Satori event type, in the order of their declaration. */
  readonly byType: ReadonlyMap<string, readonly EventHandler[]>
  /** Likewise, the handlers that choose among the events of their type. */
  readonly choosing: ReadonlyMap<string, readonly ChoosingHandler[]>
  readonly byId: ReadonlyMap<string, EventHandler>
  /** The handlers that match messages by a pattern. */
  readonly hears: ReadonlyMap<string, HearsHandler>
  readonly prompts: ReadonlyMap<string, Continuation>
  /** By the id of their handlers. */
  readonly actions: ReadonlyMap<string, ActionRunner>
  /** By the id of their prompts. */
  readonly forms: ReadonlyMap<string, Form>
  /** Outermost first. */
  readonly middleware: ReadonlyMap<string, MiddlewareHandler>
  /** By the id of their handlers. */
  readonly timers: ReadonlyMap<string, TimerRunner>
  /** The handler of each command, by the command's id. */
  readonly runners: ReadonlyMap<string, Handler>
  readonly permissionOf: PermissionOf
  /** The rule that `permissionOf` applies. */
  readonly ruleOf: RuleOf
  readonly languages: Languages
  /** svc's own texts. */
  readonly texts: HostTexts
  /** The reply when the bot fails; none when left out. */
  readonly failureText?: string
  readonly ageLimits: AgeLimits
  /** Returns which earlier events a handler waits for. */
  readonly orderOf: (handler: string) => HandlerOrder
  readonly commandLimits: CommandLimits
  /** Are users told what expired? */
  readonly tellsAge: boolean
}

export interface TableParts {
  readonly prefixes: readonly string[]
  readonly commands: readonly {readonly command: Command; readonly runner: Handler}[]
  readonly handlers: readonly EventHandler[]
  readonly hears?: readonly HearsHandler[]
  readonly permissionOf: PermissionOf
  /** No rules when left out. */
  readonly ruleOf?: RuleOf
  /** English alone when left out. */
  readonly languages?: Languages
  readonly texts?: HostTexts
  readonly failureText?: string
  /** The limits of the endpoints and the Host; none when left out. */
  readonly ages?: {readonly byEndpoint: ReadonlyMap<string, MaxAges>; readonly host: MaxAges; readonly tells: boolean}
  /** The order of handlers that declare none; that of their channel when left out. */
  readonly orders?: HandlerOrders
  /** The limits over all commands; none when left out. */
  readonly rates?: CommandRates
  readonly prompts?: readonly Continuation[]
  readonly actions?: readonly ActionRunner[]
  /** The handlers of their answers and presses are among the prompts and the actions. */
  readonly forms?: readonly Form[]
  readonly middleware?: readonly MiddlewareHandler[]
  readonly timers?: readonly TimerRunner[]
  readonly log: Log
}

/** Creates the table of everything that handles messages in one generation. */
export const createMessageTable = ({
  prefixes,
  commands,
  handlers,
  hears = [],
  prompts = [],
  actions = [],
  forms = [],
  middleware = [],
  timers = [],
  permissionOf,
  ruleOf = () => undefined,
  languages = oneLanguage("en"),
  texts = new HostTexts(),
  failureText = "",
  ages = {byEndpoint: new Map(), host: {}, tells: true},
  orders = {},
  rates = {},
  log,
}: TableParts): MessageTable => {
  const declared = commands.map(({command}) => command)
  const own = [
    helpCommand(() => router, texts),
    ...(offersChoice(languages, declared) ? [languageCommand(() => router, languages, texts)] : []),
  ]
  const router: Router = new Router([...own, ...declared], prefixes)
  const isChoosing = (handler: EventHandler): handler is ChoosingHandler => handler.wants !== undefined
  const byType = Map.groupBy(
    handlers.filter(handler => !isChoosing(handler)),
    ({type}) => type,
  )
  const late = timers.map(({id, order, timer}) => ({id, order, maxAge: timer.definition.maxLate}))
  const limited = [...commands.map(({runner}) => runner), ...handlers, ...hears, ...late]
  const ordered = new Map(limited.flatMap(({id, order}) => (order === undefined ? [] : [[id, order] as const])))
  const limits = limited.flatMap(({id, maxAge}) => (maxAge === undefined ? [] : [[id, maxAge] as const]))
  const orderOfKind = (kind: AgeKind | undefined) => (kind && orders[kind]) ?? "channel"
  const hasOrders = ordered.size > 0 || Object.values(orders).some(order => order !== "channel")
  const choosing = Map.groupBy(handlers.filter(isChoosing), ({type}) => type)
  return {
    router,
    byType,
    choosing,
    byId: byId(handlers),
    hears: byId(hears),
    prompts: byId(prompts),
    actions: byId(actions),
    forms: new Map(forms.map(form => [form.prompt.id, form])),
    middleware: byId(middleware),
    timers: byId(timers),
    runners: new Map([
      ...own.map(({id}) => [id, hostHandler(id, log)] as const),
      ...commands.map(({command, runner}) => [command.id, runner] as const),
    ]),
    permissionOf,
    ruleOf,
    languages,
    texts,
    failureText,
    orderOf: handler => (hasOrders ? (ordered.get(handler) ?? orderOfKind(kindOf(handler))) : "channel"),
    ageLimits: new AgeLimits(new Map(limits), ages.byEndpoint, ages.host),
    commandLimits: new CommandLimits(rates),
    tellsAge: ages.tells,
  }
}

const byId = <T extends {readonly id: string}>(all: readonly T[]) => new Map(all.map(each => [each.id, each]))

/** Returns whether users may choose a language: not if there is only one, or if a plugin has a command of that name. */
const offersChoice = ({known}: Languages, commands: readonly Command[]): boolean =>
  known.length > 1 && !commands.some(({path, aliases}) => [path, ...aliases].some(([word]) => word === "language"))

/** The Host's own handlers are never disposed. */
export const hostHandler = (id: string, log: Log): Handler => ({
  id,
  log,
  signal: new AbortController().signal,
  run: async work => work(),
})
