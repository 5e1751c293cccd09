import {mkdtemp, rm, writeFile} from "node:fs/promises"
import {tmpdir} from "node:os"
import {join} from "node:path"
import {exit} from "../../shared/exit.ts"
import type {Permission} from "../../shared/sdk/permission.ts"
import type {AnyPlugin} from "../../shared/sdk/plugin/plugin.ts"
import type {Host} from "../host/host.ts"
import {start} from "../host/start.ts"
import {createLogs} from "../logs/log.ts"
import {loadRuntime} from "../runtime/load-runtime.ts"
import {bypassProxy} from "../runtime/proxy.ts"
import {
  type FireOptions,
  fill,
  fire,
  type PressOptions,
  press,
  type SayOptions,
  type Sent,
  say,
  started,
} from "./actions.ts"
import {type BotClock, createBotClock} from "./bot-clock.ts"
import {type BotFile, filesOf} from "./bot-files.ts"
import {readTime, TestClock, type Time} from "./clock.ts"
import {Editions} from "./editions.ts"
import {type Change, Changes, messages, type RoomMessage} from "./room.ts"
import {type UnderTest, untilQuiet} from "./waiting.ts"

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
  /** What the bot's clock shows at first; the time of the machine when left out. */
  readonly now?: Time
  /** Hears the Host's log lines; silent when left out. */
  readonly log?: (line: string) => void
}

export interface UpgradeOptions {
  /** The name of the plugin; the only one under test when left out. */
  readonly plugin?: string
}

export interface Bot {
  /**
   * Says something in the sandbox; resolves to the bot's replies, as plain text, once all handlers have ended, with what follows
   * from them while the clock stands still. Rejects where one of its handlers fails, or what they send: with what, its state and
   * its error.
   */
  say(text: string, options?: SayOptions): Promise<readonly string[]>
  /**
   * Presses a button in the sandbox, the newest in the channel with this label (or this number in its message); resolves and
   * rejects like `say`. Rejects where no message there has it.
   */
  press(button: string, options?: PressOptions): Promise<readonly string[]>
  /**
   * Fills in a form in the sandbox, the newest in the channel with this label (or this number in its message); a field that
   * `values` does not name stays empty. Resolves and rejects like `press`.
   */
  fill(form: string, values: Readonly<Record<string, string>>, options?: PressOptions): Promise<readonly string[]>
  /** The files that the bot has sent in a channel, oldest first: `test` when left out, as with `say`. */
  files(channel?: string): Promise<readonly BotFile[]>
  /** What stands in a channel of the sandbox now, oldest first; `test` when left out. What was deleted is not there. */
  messages(channel?: string): Promise<readonly RoomMessage[]>
  /**
   * What the bot has done in the sandbox since the last call, oldest first: messages, edits, deletions, reactions, typing,
   * moderation. With a channel, what it did there alone; the rest is dropped.
   */
  changes(channel?: string): Promise<readonly Change[]>
  /** Time as the bot knows it: it stands still until the test moves it on. */
  readonly clock: BotClock
  /**
   * Runs a job that the plugin declares with `plugin.job`, as its schedule would; resolves to what it has sent once that is
   * sent. Rejects where the run fails, with its error, or what it sends.
   */
  fire(job: string, options?: FireOptions): Promise<readonly Sent[]>
  /**
   * Puts another version of the plugin in its place, over the data that there is, as a reload would: with its migrations, and a
   * checkpoint before one that cannot be undone. Rejects with what refuses it; then the bot goes on as it was.
   */
  upgrade(to: AnyPlugin, options?: UpgradeOptions): Promise<void>
  /** Where the Host's HTTP API is, and its full token, for what `say` does not show. */
  readonly url: string
  readonly token: string
  close(): Promise<void>
}

/** `subject` names the plugin that `fire` and `upgrade` mean where they name none. */
export const openBot = async (options: BotOptions, subject: (asked: "fire" | "upgrade") => string): Promise<Bot> => {
  const clock = new TestClock(readTime("now", options.now ?? Date.now()))
  const project = await mkdtemp(join(tmpdir(), "svc-test-"))
  const remove = () => rm(project, {recursive: true, force: true})
  try {
    await writeFile(join(project, "package.json"), JSON.stringify({name: "bot-under-test"}))
    await writeFile(join(project, "svc.config.yml"), JSON.stringify(configOf(options)))
    const editions = new Editions(options.plugins)
    const host = await startHost(project, options, {editions, clock})
    const close = async () => {
      await host.stop({code: exit.ok, reason: "test ended"})
      await remove()
    }
    const bot = {host, clock}
    await started(bot).catch(async error => {
      await close()
      throw error
    })
    return {...membersOf(bot, editions, subject), close}
  } catch (error) {
    await remove()
    throw error
  }
}

const startHost = async (
  project: string,
  {log = () => {}}: BotOptions,
  {editions, clock}: {readonly editions: Editions; readonly clock: TestClock},
): Promise<Host> => {
  const host = await start(
    {
      project,
      mode: "test",
      watch: false,
      command: "svc-runtime/test",
      supervisor: () => "none",
      logs: createLogs({level: "debug", format: "pretty", colors: false, write: log}),
      plugins: editions.builtIns,
      clock,
      isScratch: true,
      signal: new AbortController().signal,
    },
    await loadRuntime(),
  )
  bypassProxy(new URL(host.url))
  return host
}

const membersOf = (
  bot: UnderTest,
  editions: Editions,
  subject: (asked: "fire" | "upgrade") => string,
): Omit<Bot, "close"> => {
  const {host} = bot
  const changes = new Changes()
  let calls = 0
  // What follows from a call ends before it resolves; but two calls may need each other.
  const toEnd = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    calls++
    try {
      const result = await work()
      if (calls === 1) await untilQuiet(bot, what)
      return result
    } finally {
      calls--
    }
  }
  return {
    url: host.url,
    token: host.token?.reveal() ?? "",
    say: (text, how) => toEnd("bot.say()", () => say(bot, text, how)),
    fill: (form, values, how) => toEnd("bot.fill()", () => fill(bot, form, values, how)),
    press: (button, how) => toEnd("bot.press()", () => press(bot, button, how)),
    files: channel => filesOf({url: host.url, token: host.token?.reveal() ?? ""}, channel),
    messages: (channel = "test") => messages(bot, channel),
    changes: channel => changes.since(bot, channel),
    clock: createBotClock(bot),
    fire: async (job, how = {}) => {
      const plugin = how.plugin ?? subject("fire")
      return toEnd("bot.fire()", () => fire(bot, job, {...how, plugin}))
    },
    upgrade: async (to, {plugin: name = subject("upgrade")} = {}) => {
      await editions.replace(name, to, () => host.generations.reload("the test's upgrade"))
      await untilQuiet(bot, "bot.upgrade()")
    },
  }
}

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
