import {AsyncLocalStorage} from "node:async_hooks"
import {randomUUID} from "node:crypto"
import {join} from "node:path"
import {setImmediate as turn} from "node:timers/promises"
import type {Position} from "../../../shared/api/plugin-views.ts"
import {type PluginPath, pluginPath} from "../../../shared/ids.ts"
import {omitUndefined} from "../../../shared/json.ts"
import type {Log, LogFields} from "../../../shared/log.ts"
import {type Issue, messageOf, Problem} from "../../../shared/problems.ts"
import type {MethodParameters} from "../../../shared/sdk/platform/methods.ts"
import type {Plugin} from "../../../shared/sdk/plugin/plugin.ts"
import type {PluginDatabase} from "../../../shared/sdk/session/database.ts"
import type {TimerHandle} from "../../../shared/sdk/session/handle.ts"
import type {ListedTimer, TimerPlace} from "../../../shared/sdk/session/timer.ts"
import type {Database} from "../../database/database.ts"
import type {Caller} from "../../endpoints/methods.ts"
import {nameOf} from "../../messages/session/handle.ts"
import type {PluginSide} from "../../messages/session/handler.ts"
import {runAround, whatIsAround} from "../../runtime/flow/around.ts"
import {countRunning, showRunning} from "../../runtime/flow/handler-slots.ts"
import {Running} from "../../runtime/flow/running.ts"
import {pluginUndoLimit, Scope} from "../../runtime/flow/scope.ts"
import {TimeLimitExceeded, withTimeLimit} from "../../runtime/flow/time-limit.ts"
import {isStreamed} from "../../runtime/sockets/streamed.ts"
import type {Publishing} from "../kinds/kind.ts"
import {unknownText} from "../plugins/declarations/texts.ts"
import {guardService} from "../plugins/guard.ts"
import type {LoadedPlugin} from "../plugins/load.ts"
import {type OpenDatabase, pluginDatabase, readingPatiently} from "../plugins/plugin-database.ts"
import type {PluginHost} from "../plugins/plugin-host.ts"
import {positionIn} from "../plugins/position.ts"
import {stateHandle} from "../plugins/state.ts"
import {collectRegistrations, type Published, type Registrations} from "./registrations.ts"

/** `since` is in milliseconds since 1970. `at` is where in the plugin's files the error was thrown, if known. */
export type InstanceState = {readonly since: number} & (
  | {readonly is: "starting" | "active" | "disposed"}
  | {readonly is: "failed" | "quarantined"; readonly error: string; readonly at?: Position}
)

type Change<T> = T extends unknown ? Omit<T, "since"> : never

export interface InstanceOptions {
  readonly name: string
  readonly plugin: LoadedPlugin
  /** Checked by the plugin's own schema. */
  readonly config: unknown
  /** Equal if an instance may be carried over: same code, same configuration. */
  readonly fingerprint: string
  readonly project: string
  readonly database: Database
  readonly log: Log
  /** Absent if the plugin may do nothing: `--once`, a trial. */
  readonly host?: PluginHost | undefined
  /** Called when the state changes. It is not called for the end of a draft's instance that was never active. */
  readonly onState?: (instance: Instance) => void
}

/** How long `setup` may take, in milliseconds. */
const setupTimeout = 10_000

const refuse = (service: string, why = ""): never => {
  throw new Problem("not_active", `the call of the service "${service}" was refused${why}`)
}

/** The plugin instance that the running code belongs to. */
const running = new AsyncLocalStorage<Instance>()

/** The instance whose `setup` the running code belongs to, also through calls of services. */
const settingUp = new AsyncLocalStorage<Instance>()

/** Returns the instance whose code is running, if the runtime tracks it (see `attribute`). */
export const runningInstance = (): Instance | undefined => running.getStore()

/** One plugin in one generation, and in the generations that carry it over. */
export class Instance {
  readonly name: string
  readonly path: PluginPath
  readonly fingerprint: string
  readonly plugin: LoadedPlugin
  readonly log: Log
  readonly scope: Scope
  readonly #options: InstanceOptions
  /** Distinguishes this instance from another with the same name. */
  readonly id = randomUUID()
  readonly #running = new Running()
  readonly #database: OpenDatabase
  #state: InstanceState = {is: "starting", since: Date.now()}
  readonly #collected: ReturnType<typeof collectRegistrations>
  #registrations: Registrations | undefined
  #providers: readonly Instance[] = []

  constructor(options: InstanceOptions) {
    this.#options = options
    this.name = options.name
    this.path = pluginPath(options.name)
    this.#collected = collectRegistrations(this.path)
    this.fingerprint = options.fingerprint
    this.plugin = options.plugin
    this.log = options.log.with({plugin: options.name})
    this.scope = new Scope((message, error) => this.log.warn(message, {error}), pluginUndoLimit)
    this.#database = readingPatiently(this.path, options.database, this.log, this.scope.signal)
  }

  get state(): InstanceState {
    return this.#state
  }

  /** The files that appear in stacks of this instance's errors. */
  get files(): readonly string[] {
    return this.plugin.files
  }

  /** The folder of its project. */
  get project(): string {
    return this.#options.project
  }

  now(): number {
    return this.#options.host?.now() ?? Date.now()
  }

  /** Where its own folders are: in its package or its project. A test passes the plugin itself, and runs in the project. */
  get folder(): string {
    const {origin, files} = this.plugin
    if (origin === "built-in") return process.cwd()
    return origin === "package" ? join(this.project, files[0] ?? "") : this.project
  }

  /** The plugin's own tables. */
  get database(): Omit<PluginDatabase, "migrate"> {
    return pluginDatabase(this.name, this.#database)
  }

  /** The configuration that `setup` received: checked, with defaults. Secrets in it do not print. */
  get config(): unknown {
    return this.#options.config
  }

  /** The declarations of `setup`. */
  get registrations(): Registrations {
    if (this.#registrations === undefined) throw new Error(`${this.path} has not been set up`)
    return this.#registrations
  }

  /** The names of the services that it uses, by the key under which its `setup` receives each. */
  get uses(): ReadonlyMap<string, string> {
    return new Map(Object.entries(this.plugin.definition.uses ?? {}).map(([key, {name}]) => [key, name]))
  }

  /** Notes for people about its declarations. */
  get notes(): readonly string[] {
    return this.#collected.notes(error => {
      const at = this.positionOf(error)
      return at === undefined ? this.path : `${at.file}:${at.line}:${at.column}`
    })
  }

  /** The plugin as its handlers' sessions use it. */
  get side(): PluginSide {
    const {prompts, states, texts} = this.registrations
    return {
      ...this.#caller,
      raw: this.plugin.definition.raw === true,
      database: this.database,
      positionOf: error => this.positionOf(error),
      prompt: name => prompts.get(name),
      state: (scope, name) => states.find(state => state.scope === scope && state.name === name),
      say: (languages, key, values) => {
        const found = texts.find(({keys}) => keys.has(key))
        if (found !== undefined) return found.say(languages, key, values)
        throw unknownText(
          key,
          texts.flatMap(({keys}) => [...keys]),
        )
      },
    }
  }

  get #caller(): Caller {
    return {name: this.name, platform: this.plugin.definition.platform === true}
  }

  /** The instances whose services its `setup` received. */
  get providers(): readonly Instance[] {
    return this.#providers
  }

  /**
   * Runs `setup`. `providers` are already set up, by the name of their service. Throws `plugin_invalid` if `setup`
   * throws, and `plugin_timeout` if it does not end. Rejects when `signal` is aborted. Each failure is undone. Calls of
   * a service without a provider are refused.
   */
  async setup(providers: ReadonlyMap<string, Instance>, signal?: AbortSignal): Promise<void> {
    const used = [...this.uses].map(([key, name]) => [key, name, providers.get(name)] as const)
    this.#providers = used.flatMap(([, , provider]) => provider ?? [])
    const services = Object.fromEntries(
      used.map(([key, name, provider]) => [key, provider?.service(name) ?? guardService({}, () => refuse(name))]),
    )
    const {declaring, close, finish} = this.#collected
    const {migrate, declareState, ...declarations} = declaring
    const facade: Plugin = {
      ...declarations,
      name: this.name,
      path: this.path,
      project: this.#options.project,
      log: this.log,
      signal: this.scope.signal,
      now: () => this.now(),
      defer: undo => this.scope.defer(() => this.as(undo)),
      database: {...this.database, migrate},
      send: async (target, content, options) => this.#host("send()").send(this.name, target, content, options),
      setTimer: async (timer, when, data, options) =>
        this.#host("setTimer()").setTimer(this.name, nameOf("timer", timer), when, data, options),
      clearTimer: async timer => this.#host("clearTimer()").clearTimer(this.name, timer),
      timers: async <D>(timer: TimerHandle<D>, of?: TimerPlace) => {
        const all = await this.#host("timers()").timers(this.name, nameOf("timer", timer), of)
        return all as readonly ListedTimer<D>[]
      },
      state: (scope, schema, options = {}) =>
        stateHandle(declareState(scope, schema, options), {
          plugin: this.name,
          database: this.#database,
          requireActive: () => void this.#host("writing state"),
        }),
      languageOf: async place => this.#host("languageOf()").languageOf(place),
      agent: name => ({
        name,
        run: async (input, options) => this.#host("agent().run()").runAgent(this.name, name, input, options),
        result: async runId => this.#host("agent().result()").agentResult(this.name, runId),
      }),
      message: async id => this.#host("message()").message(id),
      sent: async (id, {signal} = {}) => {
        const signals = [this.scope.signal, ...(signal === undefined ? [] : [signal])]
        return this.#host("sent()").sent(id, signals)
      },
      cancel: async id => this.#host("cancel()").cancel(this.name, id),
      ask: async (endpoint: string, method: string, params: MethodParameters = {}) =>
        this.#host("ask()").ask(this.#caller, endpoint, method, params),
      callNow: async (endpoint: string, method: string, params: MethodParameters) =>
        this.#host("callNow()").callNow(this.#caller, endpoint, method, params),
    }
    try {
      const {setup} = this.plugin.definition
      const work = () => this.as(() => setup(facade, this.#options.config, services))
      await withTimeLimit(setupTimeout, () => settingUp.run(this, work), signal)
      close()
      await finish()
    } catch (error) {
      await this.scope.dispose()
      throw this.#explain(error)
    } finally {
      this.#registrations = close()
    }
  }

  publish(at: Omit<Publishing, "owner" | "handler">): Published {
    const plugin = this.side
    return this.#collected.publish({
      ...at,
      owner: this,
      handler: (id, {retries = 0, maxLate, maxAge = maxLate, order} = {}) => ({
        id,
        retries,
        ...omitUndefined({maxAge, order}),
        plugin,
        log: this.log,
        signal: this.scope.signal,
        run: (work, about) => this.run(work, about, id),
      }),
    })
  }

  /** Marks the instance as part of a committed generation. */
  activate(): void {
    this.#enter({is: "active"})
  }

  /**
   * Runs code of this instance, and its disposal waits for the code. Log records carry `about` meanwhile: an event and
   * its endpoint, a requestId, a runId. `what` is the handler's name for the watchdog.
   */
  async run<T>(work: () => T | Promise<T>, about?: LogFields, what: string = this.path): Promise<T> {
    const ended = countRunning(what)
    return this.#running.add(() => this.as(async () => work(), about, what).finally(ended))
  }

  /** Returns its answer, whose headers may be set. Its disposal waits until a stream in it is read or cancelled. */
  answer(given: Response, about: LogFields): Response {
    if (!isStreamed(given)) return given
    const {body} = given
    if (body === null) return new Response(null, given)
    const {readable, writable} = new TransformStream<Uint8Array<ArrayBuffer>>()
    this.run(() => body.pipeTo(writable), about).catch(() => {})
    return new Response(readable, given)
  }

  /** Runs code of this instance. Its disposal does not wait for the code. */
  as<T>(work: () => T, about?: LogFields, what: string = this.path): T {
    return showRunning(what, () => running.run(this, () => runAround({...about, plugin: this.name}, work)))
  }

  /** Returns a service of this instance for its users. Once this instance has ended, its calls throw `not_active`. */
  service(name: string): object | undefined {
    const implementation = this.registrations.services.get(name)
    return implementation && guardService(implementation, work => this.#serve(name, work))
  }

  /** Runs a call of its service as its own code, whoever calls. Its disposal waits for a promise that is returned. */
  #serve<T>(name: string, work: () => T): T {
    if (this.scope.signal.aborted) refuse(name, `: ${this.path}, which provided it, has ended`)
    const result = this.as(work, whatIsAround())
    // Only a promise: reading `then` of another object may start its work again, as with a query builder.
    if (result instanceof Promise) this.#running.add(() => result).catch(() => {})
    return result
  }

  /** Undoes everything after running work has ended, or after `drainLimit` milliseconds. */
  async dispose(drainLimit: number): Promise<void> {
    // The Host processes a result without I/O, so one turn later the abort fails no handler that has returned.
    await turn()
    if (!(await this.#running.ends(drainLimit)))
      this.log.warn("its handlers were still running when the instance was disposed")
    await this.scope.dispose()
    if (this.#state.is === "active" || this.#state.is === "starting") this.#enter({is: "disposed"})
  }

  /** Returns where in its files an error was thrown, if known. */
  positionOf(error: unknown): Position | undefined {
    return positionIn(error, this.files, this.#options.project)
  }

  /** Ends the instance because of an uncaught exception. */
  async fail(error: unknown, quarantined: boolean): Promise<void> {
    const at = this.positionOf(error)
    const is = quarantined ? "quarantined" : "failed"
    this.#enter({is, error: messageOf(error), ...(at === undefined ? {} : {at})})
    await this.scope.dispose()
  }

  /** Returns a new instance of the same plugin and configuration. */
  again(): Instance {
    return new Instance(this.#options)
  }

  /** Returns the Host's functions for an active instance; a draft's `setup` may call a service. Throws `not_active`. */
  #host(what: string): PluginHost {
    const {host} = this.#options
    const asking = settingUp.getStore()
    const one = asking?.state.is === "starting" ? asking : this
    if (host !== undefined && one.state.is === "active") return host
    const why = host === undefined ? "this run of svc sends nothing" : `${one.path} is ${one.state.is}`
    throw new Problem("not_active", `${what} was refused: ${why}`)
  }

  #enter(change: Change<InstanceState>): void {
    const isUnseen = this.#state.is === "starting" && change.is === "disposed"
    this.#state = {...change, since: Date.now()} as InstanceState
    if (!isUnseen) this.#options.onState?.(this)
  }

  #explain(error: unknown): Problem {
    const {from, origin} = this.plugin
    const setup = `setup of ${origin === "built-in" ? `the plugin ${this.name}` : from}`
    // Only a file of the project can be the position of an error whose stack names none.
    const file = origin === "built-in" || origin === "package" ? undefined : {file: from, line: 1, column: 1}
    const issues = (message: string, at: Position | undefined = file): readonly Issue[] =>
      at === undefined ? [] : [{...at, path: `plugins.${this.name}`, message}]
    if (error instanceof TimeLimitExceeded) {
      const text = `${setup} did not end within ${setupTimeout / 1000} s`
      return new Problem("plugin_timeout", text, {issues: issues("setup did not end")})
    }
    const all: readonly unknown[] = error instanceof AggregateError && error.errors.length > 0 ? error.errors : [error]
    const why = file === undefined ? all.map(messageOf).join("; ") : messageOf(error)
    const found = all.flatMap(each => issues(messageOf(each), this.positionOf(each)))
    return new Problem("plugin_invalid", `${setup} failed: ${why}`, {cause: error, issues: found})
  }
}
