import {omitUndefined} from "../../shared/json.ts"
import {type AnyPlugin, definePlugin} from "../../shared/sdk/plugin/plugin.ts"
import type {UsedServices, Uses} from "../../shared/sdk/plugin/service.ts"
import type {Permission} from "../../shared/sdk/session/permission.ts"
import {raiseTimeLimit} from "../runtime/engines/test-time-limit.ts"
import {type Asked, type Bot, type BotOptions, openBot, type PluginUnderTest} from "./bot.ts"

export type {FireOptions, PressOptions, SayOptions, Sent, TestFile} from "./actions.ts"
export type {Bot, BotOptions, PluginUnderTest, UpgradeOptions} from "./bot.ts"
export type {BotClock} from "./bot-clock.ts"
export type {BotFile} from "./bot-files.ts"
export type {Span, Time} from "./clock.ts"
export type {Change, RoomMessage} from "./room.ts"
export type {WebhookOptions} from "./webhooks.ts"

await raiseTimeLimit()

/**
 * Starts a real Host with the sandbox in a scratch folder, for the tests of a plugin author. Throws the problem that
 * prevents the start, for example `config_invalid` if `config` does not fit the plugin's schema.
 */
export const startBot = (options: BotOptions): Promise<Bot> =>
  openBot(options, (asked, declaring) =>
    onlyPlugin(declaring.length === 0 ? Object.keys(options.plugins) : declaring, asked),
  )

export interface PluginTestOptions<U extends Uses = Uses>
  extends Omit<PluginUnderTest, "plugin">,
    Pick<BotOptions, "now" | "log"> {
  /** The instance's name, which its tables and routes contain; `plugin` when left out. */
  readonly name?: string
  /** Substitutes for services that the plugin uses, by their keys in its `uses`. */
  readonly services?: Partial<UsedServices<U>>
  /** Other plugins of the bot by name, for example those that provide a service. */
  readonly plugins?: Readonly<Record<string, PluginUnderTest>>
  /** Permissions by the `user` of `say`; other users have `user`. */
  readonly users?: Readonly<Record<string, Permission>>
  /** Other top-level keys of `svc.config.yml`. */
  readonly project?: Readonly<Record<string, unknown>>
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
  if (body === undefined) throw new TypeError("plugin.test() needs a function that receives the bot")
  const {name = "plugin", users = {}, project, log, now, services, plugins = {}, ...own} = options
  const standIns = services === undefined ? {} : {"stand-ins": {plugin: providing(definition.uses ?? {}, services)}}
  const settings = {
    plugins: {[name]: {plugin: definition, ...own}, ...standIns, ...plugins},
    users,
    ...omitUndefined({config: project, log, now}),
  }
  const bot = await openBot(settings, () => name)
  try {
    return await body(bot)
  } finally {
    await bot.close()
  }
}

/**
 * `plugin.test(greeter, {config}, async bot => …)` starts a bot with this plugin, passes it to the function, and always
 * closes it. It rejects with what the function throws. Use it inside any test runner's `test`.
 */
export const plugin = {test: testPlugin}

/** Returns a plugin that provides these services, under the names that `uses` has for their keys. */
const providing = (uses: Uses, services: Readonly<Record<string, object | undefined>>): AnyPlugin => {
  const unknown = Object.keys(services).find(key => uses[key] === undefined)
  if (unknown !== undefined) throw new TypeError(`services.${unknown}: uses of the plugin has no such key`)
  return definePlugin({
    setup: plugin => {
      for (const [key, {name}] of Object.entries(uses)) {
        const standIn = services[key]
        if (standIn !== undefined) plugin.provide(name, standIn)
      }
    },
  })
}

const onlyPlugin = (plugins: readonly string[], asked: Asked): string => {
  const [name, ...others] = plugins
  if (name !== undefined && others.length === 0) return name
  const choices = plugins.map(each => `{plugin: "${each}"}`).join(" or ")
  throw new TypeError(`bot.${asked}() needs the name of the plugin: ${choices}`)
}
