import {setImmediate as nextTurn, setTimeout as sleep} from "node:timers/promises"
import {type Endpoint, refused} from "../../../shared/sdk/sdk.ts"
import {connectionError} from "./failures.ts"
import type {Bot, Context, Session, Socket} from "./koishi.ts"
import {type Stock, serverMissing} from "./stock.ts"
import {clearTimers, tame} from "./tame.ts"

/** How long a bot may take to come online, in milliseconds. After that the Host retries. */
const onlinePatience = 40_000

export interface RunOptions extends Pick<Endpoint, "signal" | "defer" | "log"> {
  readonly heard: (session: Session) => void
  /** Called when the connection ends after `runBot` has resolved. */
  readonly lost: (error: Error) => void
}

export interface RunningBot {
  readonly context: Context
  readonly bot: Bot
}

/**
 * Runs a stock adapter in a separate context. Resolves once its bot is online. Throws a refusal if the platform rejects
 * the bot. The end of the connection ends the context, and the Host creates a new one.
 */
export const runBot = async (stock: Stock, options: RunOptions): Promise<RunningBot> => {
  const {core, veil} = stock
  const sockets: Socket[] = []
  options.defer(() => {
    for (const socket of sockets) (socket.terminate ?? socket.close).call(socket)
  })
  const made = makeContext(stock, options)
  const {context, bots} = made
  const ends = Promise.withResolvers<RunningBot>()
  ends.promise.catch(() => {})
  let isOnline = false
  let failure: unknown
  let accepted: () => Promise<unknown> = async () => {}
  const end = (error: unknown) => {
    if (options.signal.aborted) return
    const shown = connectionError(error, stock)
    if (isOnline) options.lost(shown)
    ends.reject(shown)
  }
  const failed = (error: unknown) => {
    failure = error
    if (isOnline) options.log.warn(`the adapter failed on an event; dropped it: ${veil.reason(error)}`)
    else end(error)
  }
  const told = async (bot: Bot) => {
    if (bot.sn !== bots[0]?.sn || bot.status === core.Universal.Status.CONNECT) return
    if (bot.status !== core.Universal.Status.ONLINE) return end(failure ?? bot.error)
    await accepted()
    if (bot.status !== core.Universal.Status.ONLINE) return end(failure ?? bot.error)
    isOnline = true
    ends.resolve({context, bot})
  }
  context.on("bot-connect", (bot: Bot) => {
    if (bot.sn === bots[0]?.sn) accepted = tame(bot, {failed, opened: socket => sockets.push(socket)}).accepted
  })
  // An adapter sets the status first, and the error after it.
  context.on("bot-status-updated", (bot: Bot) => queueMicrotask(() => void told(bot)))
  context.on("internal/session", options.heard)
  options.signal.addEventListener("abort", () => ends.reject(options.signal.reason), {once: true})
  const late = new AbortController()
  options.defer(() => late.abort())
  void sleep(onlinePatience, undefined, {signal: late.signal}).then(
    () => end(new Error(`the adapter was not online within ${onlinePatience / 1000} s (status ${bots[0]?.status})`)),
    () => {},
  )
  try {
    await Promise.race([context.start(), ends.promise])
    botIn(stock, made)
    return await ends.promise
  } finally {
    late.abort()
  }
}

interface Made {
  readonly context: Context
  readonly bots: readonly Bot[]
  /** The error of the adapter during its creation. */
  readonly failure?: unknown
}

/** Creates the bot, and lets it start nothing before the context starts. `defer` undoes what the adapter acquires. */
const makeContext = ({core, plugin, config, veil}: Stock, {log, defer}: Pick<RunOptions, "log" | "defer">): Made => {
  const context = new core.Context()
  const bots: Bot[] = []
  const made: {context: Context; bots: readonly Bot[]; failure?: unknown} = {context, bots}
  if (context.get("http") === undefined) context.plugin(core.HTTP)
  context.on("internal/error", (error: unknown) => {
    made.failure ??= error
    log.debug(`a part of the adapter failed: ${veil.reason(error)}`)
  })
  context.on("bot-added", (bot: Bot) => void bots.push(bot))
  const fork = context.plugin(plugin, config)
  defer(async () => {
    const adapters = bots.map(({adapter}) => adapter)
    fork.dispose()
    // The bots stop in later turns of the event loop.
    await nextTurn()
    for (const owner of [...bots, ...adapters]) clearTimers(owner)
  })
  return made
}

/** Throws a refusal if the package created no bot, or one that cannot work here. */
const botIn = ({core, name, veil}: Stock, made: Made): Bot => {
  for (const {inject} of made.context.registry.values()) if (inject.server?.required === true) throw serverMissing(name)
  const [bot] = made.bots
  if (bot instanceof core.Bot) return bot
  throw refused(`${name} created no bot${made.failure === undefined ? "" : `: ${veil.reason(made.failure)}`}`, {
    reason: "package",
    remediation:
      "Correct package in the account. If it names an adapter, its version does not fit @satorijs/core, or the project has @satorijs/core twice.",
  })
}

/** Creates the bot without letting it connect: it only answers questions. */
export const askBot = async (stock: Stock, tools: Pick<RunOptions, "log" | "defer">): Promise<Bot> => {
  const made = makeContext(stock, tools)
  const {context} = made
  context.on("bot-connect", () => {
    throw new Error("this context only asks")
  })
  await context.start()
  return botIn(stock, made)
}
