import {mkdtemp, rm, writeFile} from "node:fs/promises"
import {tmpdir} from "node:os"
import {join} from "node:path"
import {exit} from "../../shared/exit.ts"
import type {Permission} from "../../shared/sdk/permission.ts"
import {type AnyPlugin, definePlugin} from "../../shared/sdk/plugin.ts"
import type {UsedServices, Uses} from "../../shared/sdk/service.ts"
import {start} from "../host/start.ts"
import {createLogs} from "../logs/log.ts"
import {systemClock} from "../runtime/flow/clock.ts"
import {loadRuntime} from "../runtime/load-runtime.ts"
import {bypassProxy} from "../runtime/proxy.ts"
import {type FireOptions, fire, online, type SayOptions, type Sent, say} from "./actions.ts"
import {Editions} from "./editions.ts"
import {raiseTimeLimit} from "./time-limit.ts"

export type {FireOptions, SayOptions, Sent, TestFile} from "./actions.ts"

await raiseTimeLimit()

/** One plugin of a bot under test. */
export interface PluginUnderTest {
  /** What `definePlugin` made. */
  readonly plugin: AnyPlugin
  /** What stands under `plugins.<name>.config`; a secret as `${NAME}`. */
  readonly config?: Readonly<Record<string, unknown>>
  /** What stands under `plugins.<name>.endpoints`: the accounts of an adapter. */
  readonly endpoints?: readonly Readonly<Record<string, unknown>>[]
  /** What stands under `plugins.<name>.pages`. */
  readonly pages?: readonly string[]
}

export interface BotOptions {
  /** By the name in `plugins.<name>`. */
  readonly plugins: Readonly<Record<string, PluginUnderTest>>
  /** Who has which permission: rules for the sandbox, before those of `config.permissions`. */
  readonly users?: Readonly<Record<string, Permission>>
  /** Other top-level keys of `svc.config.yml`. */
  readonly config?: Readonly<Record<string, unknown>>
  /** Hears the Host's log lines; silent when left out. */
  readonly log?: (line: string) => void
}

export interface UpgradeOptions {
  /** The name of the plugin; the only one under test when left out. */
  readonly plugin?: string
}

export interface Bot {
  /** Says something in the sandbox; resolves to the bot's replies, as plain text, once all handlers have ended. */
  say(text: string, options?: SayOptions): Promise<readonly string[]>
  /**
   * Runs a job that the plugin declares with `plugin.job`, as its schedule would; resolves to what it has sent once that is
   * sent. Rejects where the run fails, with its error.
   */
  fire(job: string, options?: FireOptions): Promise<readonly Sent[]>
  /**
   * Puts another version of the plugin in its place, over the data that there is, as a reload would: with its migrations, and a
   * checkpoint before one that cannot be undone. Rejects with what refuses it; then the bot goes on as it was.
   */
  upgrade(to: AnyPlugin, options?: UpgradeOptions): Promise<void>
  /** Lets so many seconds pass for cooldowns, at once; nothing else is hurried. */
  pass(seconds: number): void
  /** Where the Host's HTTP API is, and its full token, for what `say` does not show. */
  readonly url: string
  readonly token: string
  close(): Promise<void>
}

/**
 * Starts a real Host with the sandbox in a scratch folder, for the tests of a plugin's author. Throws what keeps it from
 * starting, for example `config_invalid` where `config` does not fit the plugin's schema.
 */
export const startBot = (options: BotOptions): Promise<Bot> =>
  openBot(options, asked => onlyPlugin(options.plugins, asked))

/** `subject` names the plugin that `fire` and `upgrade` mean where they name none. */
const openBot = async (options: BotOptions, subject: (asked: "fire" | "upgrade") => string): Promise<Bot> => {
  const project = await mkdtemp(join(tmpdir(), "svc-test-"))
  const remove = () => rm(project, {recursive: true, force: true})
  try {
    await writeFile(join(project, "package.json"), JSON.stringify({name: "bot-under-test"}))
    await writeFile(join(project, "svc.config.yml"), JSON.stringify(configOf(options)))
    const write = options.log ?? (() => {})
    let passed = 0
    const editions = new Editions(options.plugins)
    const host = await start(
      {
        project,
        mode: "test",
        watch: false,
        command: "svc-runtime/test",
        supervisor: () => "none",
        logs: createLogs({level: "debug", format: "pretty", colors: false, write}),
        plugins: editions.builtIns,
        clock: {...systemClock, elapsed: () => performance.now() + passed},
        signal: new AbortController().signal,
      },
      await loadRuntime(),
    )
    bypassProxy(new URL(host.url))
    await online(host)
    return {
      url: host.url,
      token: host.token?.reveal() ?? "",
      say: (text, how) => say(host, text, how),
      fire: async (job, how = {}) => fire(host, job, {...how, plugin: how.plugin ?? subject("fire")}),
      upgrade: (to, {plugin: name = subject("upgrade")} = {}) =>
        editions.replace(name, to, () => host.generations.reload("the test's upgrade")),
      pass: seconds => {
        passed += seconds * 1000
      },
      close: async () => {
        await host.stop({code: exit.ok, reason: "test ended"})
        await remove()
      },
    }
  } catch (error) {
    await remove()
    throw error
  }
}

export interface PluginTestOptions<U extends Uses = Uses> extends Omit<PluginUnderTest, "plugin"> {
  /** The instance's name, which its tables and routes bear; `plugin` when left out. */
  readonly name?: string
  /** Stand-ins for services that the plugin uses, by their keys in its `uses`. */
  readonly services?: Partial<UsedServices<U>>
  /** Other plugins of the bot, by name: for example those that provide a service. */
  readonly plugins?: Readonly<Record<string, PluginUnderTest>>
  /** Who has which permission, by the `user` of `say`; others are `user`. */
  readonly users?: Readonly<Record<string, Permission>>
  /** Other top-level keys of `svc.config.yml`. */
  readonly project?: Readonly<Record<string, unknown>>
  /** Hears the Host's log lines; silent when left out. */
  readonly log?: (line: string) => void
}

type Body<T> = (bot: Bot) => T | Promise<T>

type Subject<U extends Uses> = AnyPlugin & {readonly uses?: U}

async function testPlugin<T>(definition: AnyPlugin, body: Body<T>): Promise<T>
async function testPlugin<T, U extends Uses = Uses>(
  definition: Subject<U>,
  options: PluginTestOptions<U>,
  body: Body<T>,
): Promise<T>
async function testPlugin<T>(definition: AnyPlugin, second: PluginTestOptions | Body<T>, third?: Body<T>): Promise<T> {
  const [options, body] = typeof second === "function" ? [{}, second] : [second, third]
  if (body === undefined) throw new TypeError("plugin.test() needs a function that gets the bot")
  const {name = "plugin", users = {}, project, log, services, plugins = {}, ...own} = options
  const standIns = services === undefined ? {} : {"stand-ins": {plugin: providing(definition.uses ?? {}, services)}}
  const settings = {
    plugins: {[name]: {plugin: definition, ...own}, ...standIns, ...plugins},
    users,
    ...(project === undefined ? {} : {config: project}),
    ...(log === undefined ? {} : {log}),
  }
  const bot = await openBot(settings, () => name)
  try {
    return await body(bot)
  } finally {
    await bot.close()
  }
}

/**
 * `plugin.test(greeter, {config}, async bot => …)` starts a bot of this plugin, gives it to the function, and closes it
 * whatever happens there; it rejects with what the function throws. Inside any test runner's `test`.
 */
export const plugin = {test: testPlugin}

const configOf = ({plugins, users = {}, config}: BotOptions) => ({
  http: {port: 0},
  ...config,
  permissions: [
    ...Object.entries(users).map(([user, permission]) => ({endpoint: "sandbox", user, permission})),
    ...(Array.isArray(config?.permissions) ? config.permissions : []),
  ],
  plugins: {
    sandbox: {},
    ...Object.fromEntries(
      Object.entries(plugins).map(([name, {plugin: _, ...entry}]) => [
        name,
        Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined)),
      ]),
    ),
  },
})

/** A plugin that provides these services, under the names that `uses` gives their keys. */
const providing = (uses: Uses, services: Readonly<Record<string, object | undefined>>): AnyPlugin => {
  const unknown = Object.keys(services).find(key => uses[key] === undefined)
  if (unknown !== undefined) throw new TypeError(`services.${unknown}: the plugin's uses has no such key`)
  return definePlugin({
    setup: plugin => {
      for (const [key, {name}] of Object.entries(uses)) {
        const standIn = services[key]
        if (standIn !== undefined) plugin.provide(name, standIn)
      }
    },
  })
}

const onlyPlugin = (plugins: BotOptions["plugins"], asked: "fire" | "upgrade"): string => {
  const [name, ...others] = Object.keys(plugins)
  if (name === undefined || others.length > 0) throw new TypeError(`bot.${asked}() needs the name of the plugin`)
  return name
}
