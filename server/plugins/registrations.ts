import {capabilityId, type PluginPath} from "../../shared/ids.ts"
import type {AdapterDefinition} from "../../shared/sdk/adapter/adapter.ts"
import type {ActionDefinition} from "../../shared/sdk/plugin/action.ts"
import {type PluginPage, pagePattern} from "../../shared/sdk/plugin/page.ts"
import type {Plugin} from "../../shared/sdk/plugin/plugin.ts"
import type {PromptDefinition, PromptHandler} from "../../shared/sdk/plugin/prompt.ts"
import type {PluginRoute} from "../../shared/sdk/plugin/route.ts"
import type {PluginMigration} from "../../shared/sdk/session/database.ts"
import type {EventHandlerDefinition, HandlerDefinition, Named} from "../../shared/sdk/session/handler.ts"
import type {Middleware} from "../../shared/sdk/session/session.ts"
import type {StateOptions} from "../../shared/sdk/session/state.ts"
import type {TimerDefinition} from "../../shared/sdk/session/timer.ts"
import type {TSchema} from "../../shared/type.ts"
import type {DeclaredState} from "../database/state/plugin-state.ts"
import {actionHandle, requireAction} from "./action-handle.ts"
import {requireAdapter} from "./adapter-definition.ts"
import {
  createNaming,
  isHandler,
  longestWait,
  requireHandling,
  requireMigration,
  requireName,
} from "./declarations/checks.ts"
import type {
  DeclaredAction,
  DeclaredCommand,
  DeclaredForm,
  DeclaredHandler,
  DeclaredHears,
  DeclaredJob,
  DeclaredMiddleware,
  DeclaredPrompt,
  DeclaredTimer,
  DeclaredTool,
  Registrations,
} from "./declarations/declared.ts"
import {readJob} from "./declarations/job.ts"
import {readState} from "./declarations/state.ts"
import {DeclaredTexts} from "./declarations/texts.ts"
import {readTool} from "./declarations/tool.ts"
import {readHears} from "./hears/declaration.ts"

type Declaring = Pick<
  Plugin,
  | "command"
  | "on"
  | "hears"
  | "middleware"
  | "prompt"
  | "action"
  | "form"
  | "timer"
  | "job"
  | "tool"
  | "adapter"
  | "route"
  | "page"
  | "provide"
  | "onStart"
> & {
  migrate: Plugin["database"]["migrate"]
  declareState(scope: DeclaredState["scope"], schema: TSchema, options: StateOptions): DeclaredState
  declareTexts(table: unknown): DeclaredTexts
}

/** Collects the declarations of `setup`. Declarations after its end throw. */
export const collectRegistrations = (owner: PluginPath) => {
  const commands: DeclaredCommand[] = []
  const handlers: DeclaredHandler[] = []
  const hears: DeclaredHears[] = []
  const nameHears = createNaming("hears()")
  const middleware: DeclaredMiddleware[] = []
  const handlerNames = new Map<string, (named: Named) => string>()
  const nameMiddleware = createNaming("middleware()")
  const prompts = new Map<string, DeclaredPrompt>()
  const actions = new Map<string, DeclaredAction>()
  const forms = new Map<string, DeclaredForm>()
  const jobs = new Map<string, DeclaredJob>()
  const tools = new Map<string, DeclaredTool>()
  const pages: PluginPage[] = []
  const timers = new Map<string, DeclaredTimer>()
  const adapters = new Map<string, AdapterDefinition<TSchema>>()
  const routes: PluginRoute[] = []
  const services = new Map<string, object>()
  const migrations: PluginMigration[] = []
  const states: DeclaredState[] = []
  const texts: DeclaredTexts[] = []
  const starts: (() => unknown)[] = []
  let open = true
  const declare = (what: string) => {
    if (!open) throw new Error(`${what} was called after setup had ended; call it in setup`)
  }
  const declaring: Declaring = {
    command: (pattern: string, second: unknown, third?: unknown) => {
      declare("command()")
      const [definition, handle] = third === undefined ? [{}, second] : [second, third]
      if (typeof handle !== "function") throw new TypeError(`command("${pattern}") needs a handler`)
      requireHandling(`command("${pattern}")`, definition as HandlerDefinition)
      commands.push({pattern, definition: definition as DeclaredCommand["definition"], handle: handle as never})
    },
    on: (type: string, second: unknown, third?: unknown) => {
      declare("on()")
      const [definition, handle] = third === undefined ? [{}, second] : [second as EventHandlerDefinition, third]
      if (!isHandler<DeclaredHandler["handle"]>(handle)) throw new TypeError(`on("${type}") needs a handler`)
      requireHandling(`on("${type}")`, definition)
      const nameHandler = handlerNames.get(type) ?? createNaming(`on("${type}")`)
      handlerNames.set(type, nameHandler)
      handlers.push({
        id: capabilityId(owner, "handler", `${type}.${nameHandler(definition)}`),
        type,
        definition,
        handle,
      })
    },
    hears: (pattern: unknown, second: unknown, third?: unknown) => {
      declare("hears()")
      const read = readHears(pattern, third === undefined ? {} : second, third ?? second, hears.length)
      requireHandling(`hears(${read.shown})`, read.definition)
      hears.push({id: capabilityId(owner, "hears", nameHears(read.definition)), ...read})
    },
    middleware: (first: unknown, second?: unknown) => {
      declare("middleware()")
      const [definition, around] = second === undefined ? [{}, first] : [first as Named, second]
      if (!isHandler<Middleware>(around)) throw new TypeError("middleware() needs a function")
      middleware.push({id: capabilityId(owner, "middleware", nameMiddleware(definition)), around})
    },
    prompt: (name: string, second: unknown, third?: unknown) => {
      declare("prompt()")
      const [definition, handle] = third === undefined ? [{}, second] : [second as PromptDefinition<TSchema>, third]
      if (!isHandler<PromptHandler<unknown>>(handle)) throw new TypeError(`prompt("${name}") needs a handler`)
      if (prompts.has(name)) throw new Error(`prompt("${name}") is declared twice`)
      if (forms.has(name)) throw new Error(`prompt("${name}"): a form has that name already`)
      requireName(`prompt("${name}")`, name)
      const {expires = 1} = definition
      if (!(expires > 0 && expires <= longestWait))
        throw new Error(`prompt("${name}"): expires must be seconds, at most 30 days`)
      prompts.set(name, {id: capabilityId(owner, "prompt", name), definition, handle})
    },
    action: (name: string, second: unknown, third?: unknown) => {
      declare("action()")
      const [definition, handle] = third === undefined ? [{}, second] : [second as ActionDefinition, third]
      if (!isHandler<DeclaredAction["handle"]>(handle)) throw new TypeError(`action("${name}") needs a handler`)
      if (actions.has(name)) throw new Error(`action("${name}") is declared twice`)
      if (forms.has(name)) throw new Error(`action("${name}"): a form has that name already`)
      requireName(`action("${name}")`, name)
      requireAction(`action("${name}")`, definition)
      const id = capabilityId(owner, "action", name)
      actions.set(name, {id, definition, handle})
      return actionHandle(name, id, definition)
    },
    form: (name, definition, handle) => {
      const what = `form("${name}")`
      declare("form()")
      if (!isHandler<DeclaredForm["handle"]>(handle)) throw new TypeError(`${what} needs a handler`)
      if (forms.has(name)) throw new Error(`${what} is declared twice`)
      if (prompts.has(name) || actions.has(name))
        throw new Error(`${what}: a prompt or an action has that name already`)
      requireName(what, name)
      requireAction(what, definition)
      const ids = {promptId: capabilityId(owner, "prompt", name), actionId: capabilityId(owner, "action", name)}
      forms.set(name, {name, ...ids, definition, handle})
      const {button} = actionHandle(name, ids.actionId, definition)
      return {name, button: (data, label) => button(data, label)}
    },
    timer: (name: string, second: unknown, third?: unknown) => {
      declare("timer()")
      const [definition, handle] = third === undefined ? [{}, second] : [second as TimerDefinition, third]
      if (!isHandler<DeclaredTimer["handle"]>(handle)) throw new TypeError(`timer("${name}") needs a handler`)
      if (timers.has(name)) throw new Error(`timer("${name}") is declared twice`)
      requireName(`timer("${name}")`, name)
      requireHandling(`timer("${name}")`, definition)
      if (!["once", "skip", undefined].includes(definition.missed))
        throw new Error(`timer("${name}"): missed must be once or skip`)
      timers.set(name, {id: capabilityId(owner, "timer", name), definition, handle})
      return {name}
    },
    job: (name: string, second: unknown, third?: unknown) => {
      declare("job()")
      if (jobs.has(name)) throw new Error(`job("${name}") is declared twice`)
      jobs.set(name, readJob(owner, name, second, third))
    },
    tool: (name, definition, run) => {
      declare("tool()")
      if (tools.has(name)) throw new Error(`tool("${name}") is declared twice`)
      tools.set(name, readTool(owner, name, definition, run))
    },
    adapter: (slot, adapter) => {
      declare("adapter()")
      if (adapters.has(slot)) throw new Error(`adapter("${slot}") is declared twice`)
      const declared = adapter as unknown as AdapterDefinition<TSchema>
      requireAdapter(slot, declared)
      adapters.set(slot, declared)
    },
    route: route => {
      declare("route()")
      if (!route.path.startsWith("/")) throw new Error(`route("${route.path}"): the path must begin with /`)
      routes.push(route as unknown as PluginRoute)
    },
    page: (path, handle) => {
      declare("page()")
      if (!new RegExp(pagePattern).test(path)) throw new Error(`page("${path}"): the path must look like /callback`)
      if (typeof handle !== "function") throw new TypeError(`page("${path}") needs a function`)
      if (pages.some(page => page.path === path)) throw new Error(`page("${path}") is declared twice`)
      pages.push({path, handle})
    },
    provide: (given, implementation: unknown) => {
      declare("provide()")
      const name = typeof given === "string" ? given : given.name
      requireName(`provide("${name}")`, name)
      if (services.has(name)) throw new Error(`provide("${name}") is called twice`)
      if ((typeof implementation !== "object" && typeof implementation !== "function") || implementation === null)
        throw new TypeError(`provide("${name}") needs an object or a function`)
      services.set(name, implementation)
    },
    declareState: (scope, schema, options) => {
      declare("state()")
      const declared = readState(scope, schema, options)
      const {name} = declared
      if (states.some(other => other.scope === scope && other.name === name))
        throw new Error(`state("${scope}") is declared twice under the name "${name}"; give the second another name`)
      states.push(declared)
      return declared
    },
    declareTexts: table => {
      declare("texts()")
      const declared = new DeclaredTexts(table)
      texts.push(declared)
      return declared
    },
    onStart: handler => {
      declare("onStart()")
      if (typeof handler !== "function") throw new TypeError("onStart() needs a function")
      starts.push(handler)
    },
    migrate: added => {
      declare("database.migrate()")
      for (const migration of added) {
        requireMigration(migration, new Set(migrations.map(({name}) => name)))
        migrations.push(migration)
      }
    },
  }
  const collected: Registrations = {
    commands,
    handlers,
    hears,
    middleware,
    prompts,
    actions,
    forms,
    jobs,
    tools,
    timers,
    states,
    texts,
    adapters,
    routes,
    pages,
    services,
    migrations,
    starts,
  }
  return {
    declaring,
    close: () => {
      open = false
      return collected
    },
  }
}
