import {mkdtemp, rm, writeFile} from "node:fs/promises"
import {tmpdir} from "node:os"
import {join} from "node:path"
import {exit} from "../../shared/exit.ts"
import {omitUndefined} from "../../shared/json.ts"
import type {AnyPlugin} from "../../shared/sdk/plugin/plugin.ts"
import type {Permission} from "../../shared/sdk/session/permission.ts"
import type {Host} from "../host/open/host.ts"
import {start} from "../host/start.ts"
import {loadRuntime} from "../runtime/engines/load-runtime.ts"
import {TestClock} from "../runtime/flow/test-clock.ts"
import {createLogs} from "../runtime/logs/log.ts"
import {bypassProxy} from "../runtime/proxy.ts"
import {type FireOptions, fire, type PressOptions, press, type SayOptions, type Sent, say, started} from "./actions.ts"
import {type BotClock, createBotClock} from "./bot-clock.ts"
import {type BotFile, filesOf} from "./bot-files.ts"
import {readTime, type Time} from "./clock.ts"
import {Editions} from "./editions.ts"
import {Failures, withFindings, withoutOwnFrames} from "./failures.ts"
import {type Change, Changes, messages, type RoomMessage} from "./room.ts"
import {type UnderTest, untilQuiet, untilSettled} from "./waiting.ts"
import {postWebhook, type WebhookOptions} from "./webhooks.ts"

/** One plugin of a bot under test. */
export interface PluginUnderTest {
  /** The result of `definePlugin`; the built-in plugin of this name, such as `telegram`, when left out. */
  readonly plugin?: AnyPlugin
  /** The value of `plugins.<name>.config`. Write a secret as `${NAME}`. */
  readonly config?: Readonly<Record<string, unknown>>
  /** The value of `plugins.<name>.endpoints`: the accounts of an adapter. */
  readonly endpoints?: readonly Readonly<Record<string, unknown>>[]
  /** False: the plugin does not run, so that its endpoints do not exist, but settings may name them. */
  readonly enabled?: boolean
  /** The value of `plugins.<name>.pages`. */
  readonly pages?: readonly string[]
}

export interface BotOptions {
  /** The plugins, by their name in `plugins.<name>`. */
  readonly plugins: Readonly<Record<string, PluginUnderTest>>
  /** Permissions of users: rules for the sandbox, before those of `config.permissions`. */
  readonly users?: Readonly<Record<string, Permission>>
  /** Other top-level keys of `svc.config.yml`. */
  readonly config?: Readonly<Record<string, unknown>>
  /** The initial time of the bot's clock; the machine's time when left out. */
  readonly now?: Time
  /** Receives the Host's log lines; nothing is logged when left out. */
  readonly log?: (line: string) => void
}

export interface UpgradeOptions {
  /** The name of the plugin; the only plugin under test when left out. */
  readonly plugin?: string
}

export interface Bot {
  /**
   * Sends a message in the sandbox. Resolves to the bot's replies as plain text, once all handlers have ended, with
   * everything that follows from them while the clock does not move. If a handler or a message of it fails, rejects
   * with its name, state and error.
   */
  say(text: string, options?: SayOptions): Promise<readonly string[]>
  /**
   * Presses the newest button in the channel with this label, or with this number in its message. Resolves and rejects
   * like `say`; if the bot edits the message with the button, that is the first text. Rejects if no message, or not
   * `message` of the options, has this button.
   */
  press(button: string, options?: PressOptions): Promise<readonly string[]>
  /** Fills in a form, named as `press` names a button. Fields that `values` lacks stay empty. Settles like `press`. */
  fill(form: string, values: Readonly<Record<string, string>>, options?: PressOptions): Promise<readonly string[]>
  /** Returns the files that the bot sent in a channel, oldest first; in `test` when left out, as with `say`. */
  files(channel?: string): Promise<readonly BotFile[]>
  /** Returns the current messages of a sandbox channel, oldest first, without deleted ones; of `test` when left out. */
  messages(channel?: string): Promise<readonly RoomMessage[]>
  /**
   * Returns what the bot did in the sandbox since the last call, oldest first: messages, edits, deletions, reactions,
   * typing, moderation. With a channel, returns only what it did there, and drops the rest.
   */
  changes(channel?: string): Promise<readonly Change[]>
  /** The bot's clock. It moves only when the test moves it. */
  readonly clock: BotClock
  /**
   * Runs a job that the plugin declares with `plugin.job`, as its schedule would. Resolves to its messages once they
   * are sent. Rejects with the error if the run or one of its messages fails.
   */
  fire(job: string, options?: FireOptions): Promise<readonly Sent[]>
  /**
   * Posts to a webhook that the plugin declares with `plugin.webhook`, as its sender does: signed with the first secret.
   * A text is sent as it is, everything else as JSON. Resolves to the messages of its handlers once they are sent: none
   * for a repeated id. Rejects if the Host refuses the request, or like `say`.
   */
  webhook(name: string, body: unknown, options?: WebhookOptions): Promise<readonly Sent[]>
  /**
   * Replaces the plugin with another version on the same data, as a reload would: with its migrations, and with a
   * checkpoint before one that cannot be undone. Rejects with the reason of a refusal; the bot then continues
   * unchanged.
   */
  upgrade(to: AnyPlugin, options?: UpgradeOptions): Promise<void>
  /**
   * Resolves once everything that the bot knows of is done, or waits for its clock: after a request to its API, or after
   * an event of a platform. Rejects with the failures that no earlier call has reported.
   */
  settle(): Promise<void>
  /** The URL of the Host's HTTP API, for what `say` does not show. `token` is its full token. */
  readonly url: string
  readonly token: string
  close(): Promise<void>
}

/** The calls that may name their plugin. */
export type Asked = "fire" | "upgrade" | "webhook"

/** Returns the plugin for a call that names none; `declaring` has those that declare what the call is about. */
type Subject = (asked: Asked, declaring: readonly string[]) => string

export const openBot = (options: BotOptions, subject: Subject): Promise<Bot> =>
  withoutOwnFrames(() => open(options, subject))

const open = async (options: BotOptions, subject: Subject): Promise<Bot> => {
  const clock = new TestClock(readTime("now", options.now ?? Date.now()))
  const project = await mkdtemp(join(tmpdir(), "svc-test-"))
  const remove = () => rm(project, {recursive: true, force: true})
  try {
    await writeFile(join(project, "package.json"), JSON.stringify({name: "bot-under-test"}))
    await writeFile(join(project, "svc.config.yml"), JSON.stringify(configOf(options)))
    const editions = new Editions(options.plugins)
    const failures = new Failures()
    const host = await startHost(project, options, {editions, clock, failures})
    const close = async () => {
      await host.stop({code: exit.ok, reason: "test ended"})
      await remove()
    }
    const bot = {host, clock, failures}
    await started(bot).catch(async error => {
      await close()
      throw error
    })
    return {...membersOf(bot, editions, subject), close}
  } catch (error) {
    await remove()
    throw withFindings(error)
  }
}

const startHost = async (
  project: string,
  {log = () => {}}: BotOptions,
  {editions, clock, failures}: {readonly editions: Editions} & Pick<UnderTest, "clock" | "failures">,
): Promise<Host> => {
  const logs = createLogs({level: "debug", format: "pretty", colors: false, write: log})
  logs.onError(record => failures.hear(record))
  const host = await start(
    {
      project,
      mode: "test",
      watch: false,
      command: "svc-runtime/test",
      supervisor: () => "none",
      logs,
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

const membersOf = (bot: UnderTest, editions: Editions, subject: Subject): Omit<Bot, "close"> => {
  const {host} = bot
  const changes = new Changes()
  const declaring = (kind: "job" | "webhook", name: string) =>
    host.generations.running
      .require()
      .snapshot.capabilities.filter(each => each.kind === kind && each.name === name)
      .map(({owner}) => owner.replace("root/", ""))
  let calls = 0
  // Everything that follows from a call ends before it resolves. But two concurrent calls may need each other.
  const toEnd = <T>(what: string, work: () => Promise<T>): Promise<T> =>
    withoutOwnFrames(async () => {
      calls++
      try {
        const result = await work()
        if (calls === 1) await untilQuiet(bot, what)
        return result
      } finally {
        calls--
      }
    })
  return {
    url: host.url,
    token: host.token?.reveal() ?? "",
    say: (text, how) => toEnd("bot.say()", () => say(bot, text, how)),
    fill: (form, values, how) => toEnd("bot.fill()", () => press(bot, form, how, values)),
    press: (button, how) => toEnd("bot.press()", () => press(bot, button, how)),
    files: channel => filesOf({url: host.url, token: host.token?.reveal() ?? ""}, channel),
    messages: (channel = "test") => messages(bot, channel),
    changes: channel => changes.since(bot, channel),
    clock: createBotClock(bot),
    fire: async (job, how = {}) => {
      const plugin = how.plugin ?? subject("fire", declaring("job", job))
      return toEnd("bot.fire()", () => fire(bot, job, {...how, plugin}))
    },
    settle: () =>
      toEnd("bot.settle()", async () => {
        // What a platform has sent may still wait in its adapter.
        await host.endpoints.catchUp()
        await untilSettled(bot, "bot.settle()")
      }),
    webhook: async (name, body, how = {}) => {
      const plugin = how.plugin ?? subject("webhook", declaring("webhook", name))
      return toEnd("bot.webhook()", () => postWebhook(bot, name, body, {...how, plugin}))
    },
    upgrade: async (to, {plugin: name = subject("upgrade", [])} = {}) =>
      toEnd("bot.upgrade()", () => editions.replace(name, to, () => host.generations.reload("the test's upgrade"))),
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
    ...Object.fromEntries(Object.entries(plugins).map(([name, {plugin: _, ...entry}]) => [name, omitUndefined(entry)])),
  },
})
