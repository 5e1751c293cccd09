import type {AgeKind, CommandRates, HandlerOrders, MaxAges} from "../../shared/config/config.ts"
import type {Log} from "../../shared/log.ts"
import type {HandlerOrder} from "../../shared/sdk/session/handler.ts"
import {type AgeLimitOf, kindOf, readAgeLimits} from "./age-limits.ts"
import type {Command} from "./command/command.ts"
import {helpCommand} from "./command/help.ts"
import type {PermissionOf, RuleOf} from "./command/permissions.ts"
import {Router, type RouterOf} from "./command/router.ts"
import {FilterIndex} from "./filters.ts"
import type {Form} from "./forms/form.ts"
import {byId, type HandlerLists, type HandlersById} from "./handler-kinds.ts"
import type {HearsHandler} from "./hears.ts"
import {languageCommand} from "./language/command.ts"
import {type Languages, oneLanguage} from "./language/languages.ts"
import {type CommandLimitsOf, readCommandLimits} from "./limits/limits.ts"
import {routersFor} from "./routers.ts"
import type {ChoosingHandler, EventHandler, Handler} from "./session/handler.ts"
import {HostTexts} from "./texts/host-texts.ts"

/** How the running generation handles messages. */
export interface MessageTable extends HandlersById {
  /** That of an event, or with all commands. */
  readonly router: Router
  readonly routerOf: RouterOf
  /** The handlers of each Satori event type. */
  readonly byType: ReadonlyMap<string, FilterIndex<EventHandler>>
  readonly hearing: FilterIndex<HearsHandler>
  /** By type, in the order of their declaration, the handlers that choose among the events of their type. */
  readonly choosing: ReadonlyMap<string, readonly ChoosingHandler[]>
  /** By the id of their prompts. */
  readonly forms: ReadonlyMap<string, Form>
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
  readonly ageLimitOf: AgeLimitOf
  /** Returns which earlier events a handler waits for. */
  readonly orderOf: (handler: string) => HandlerOrder
  /** Does a handler get the platform's own event? */
  readonly keepsRaw: (handler: string) => boolean
  readonly commandLimitsOf: CommandLimitsOf
  /** Are users told what expired? */
  readonly tellsAge: boolean
}

export interface TableParts
  extends HandlerLists,
    Pick<MessageTable, "permissionOf">,
    Partial<Pick<MessageTable, "ruleOf" | "languages" | "texts" | "failureText">> {
  readonly prefixes: readonly string[]
  readonly commands: readonly {readonly command: Command; readonly runner: Handler}[]
  /** The limits of the endpoints and the Host; none when left out. */
  readonly ages?: {readonly byEndpoint: ReadonlyMap<string, MaxAges>; readonly host: MaxAges; readonly tells: boolean}
  /** The order of handlers that declare none; that of their channel when left out. */
  readonly orders?: HandlerOrders
  /** The limits over all commands; none when left out. */
  readonly rates?: CommandRates
  /** The handlers of their answers and presses are among the prompts and the actions. */
  readonly forms?: readonly Form[]
  readonly log: Log
}

export const createMessageTable = ({
  prefixes,
  commands,
  forms = [],
  permissionOf,
  ruleOf = () => undefined,
  languages = oneLanguage("en"),
  texts = new HostTexts(),
  failureText = "",
  ages = {byEndpoint: new Map(), host: {}, tells: true},
  orders = {},
  rates = {},
  log,
  ...lists
}: TableParts): MessageTable => {
  const declared = commands.map(({command}) => command)
  const own = [
    helpCommand((event, endpoint) => routerOf(event, endpoint), texts),
    ...(offersChoice(languages, declared) ? [languageCommand(() => router, languages, texts)] : []),
  ]
  const router: Router = new Router([...own, ...declared], prefixes)
  const routerOf = routersFor(router, prefixes)
  const isChoosing = (handler: EventHandler): handler is ChoosingHandler => handler.wants !== undefined
  const byKind = byId(lists)
  const handlers = [...byKind.handlers.values()]
  const plain = handlers.filter(handler => !isChoosing(handler))
  const all: readonly Handler[] = [
    ...commands.map(({runner}) => runner),
    ...Object.values(byKind).flatMap(each => [...each.values()]),
  ]
  const ordered = new Map(all.flatMap(({id, order}) => (order === undefined ? [] : [[id, order] as const])))
  const limits = all.flatMap(({id, maxAge}) => (maxAge === undefined ? [] : [[id, maxAge] as const]))
  const raw = new Set(all.flatMap(({id, plugin}) => (plugin?.raw === true ? [id] : [])))
  const orderOfKind = (kind: AgeKind | undefined) => (kind && orders[kind]) ?? "channel"
  const hasOrders = ordered.size > 0 || Object.values(orders).some(order => order !== "channel")
  return {
    ...byKind,
    router,
    routerOf,
    byType: new Map([...Map.groupBy(plain, ({type}) => type)].map(([type, each]) => [type, new FilterIndex(each)])),
    hearing: new FilterIndex([...byKind.hears.values()]),
    choosing: Map.groupBy(handlers.filter(isChoosing), ({type}) => type),
    forms: new Map(forms.map(form => [form.prompt.id, form])),
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
    keepsRaw: handler => raw.has(handler),
    ageLimitOf: readAgeLimits(new Map(limits), ages.byEndpoint, ages.host),
    commandLimitsOf: readCommandLimits(rates),
    tellsAge: ages.tells,
  }
}

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
