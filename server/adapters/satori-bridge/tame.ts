import type {Bot, Socket, StockAdapter} from "./koishi.ts"

export interface Taming {
  /** Called when background work of the adapter fails. */
  readonly failed: (error: unknown) => void
  readonly opened: (socket: Socket) => void
}

/**
 * Catches failures of an adapter's background work: a stock adapter does not handle rejections of its start and its
 * listeners. Handles messages of its socket one by one, so that events keep their order.
 */
export const tame = (bot: Bot, {failed, opened}: Taming): {readonly accepted: () => Promise<unknown>} => {
  let accepting: Promise<unknown> = Promise.resolve()
  const begin = bot.initialize?.bind(bot)
  if (begin !== undefined)
    bot.initialize = async (...args) => {
      const beginning = begin(...args)
      // With a callback, no caller awaits the promise.
      return typeof args[0] === "function" ? beginning.catch(failed) : beginning
    }
  const adapter: StockAdapter = bot.adapter ?? {}
  const prepare = adapter.prepare?.bind(adapter)
  const accept = adapter.accept?.bind(adapter)
  if (prepare !== undefined)
    adapter.prepare = async () => {
      try {
        const socket = await prepare()
        opened(socket)
        return inOrder(socket, failed)
      } catch (error) {
        failed(error)
        throw error
      }
    }
  if (accept !== undefined)
    adapter.accept = (...args) => {
      accepting = Promise.resolve(accept(...args)).catch(failed)
      return accepting
    }
  return {accepted: () => accepting}
}

const inOrder = (socket: Socket, failed: (error: unknown) => void): Socket => {
  const listen = socket.addEventListener.bind(socket)
  let last: Promise<unknown> = Promise.resolve()
  socket.addEventListener = (type, hear) => {
    if (type !== "message") return listen(type, hear)
    listen(type, event => {
      last = last.then(() => hear(event)).catch(failed)
    })
  }
  return socket
}

/** Stops timers that an adapter leaves running. */
export const clearTimers = (owner: object | undefined): void => {
  for (const value of Object.values(owner ?? {}))
    if (Object(value).constructor?.name === "Timeout") clearTimeout(value as NodeJS.Timeout)
}
