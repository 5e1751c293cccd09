import type {AdapterDefinition, Endpoint, Incoming, PluginDefinition, Sender} from "../../../shared/sdk/sdk.ts"
import type {Account} from "./platform.ts"
import {storedFile} from "./stored-file.ts"

/** What the Host gives an adapter, as far as an account needs it here. */
export type Tools = Pick<Endpoint, "load" | "post" | "openSocket">

/** An open account of an adapter, whose events are kept instead of stored. */
export interface OpenAccount {
  readonly sender: Sender
  /** Everything that it has received, oldest first. */
  readonly events: readonly Incoming[]
  /** Resolves to the first event from a place in `events` on that matches. Rejects once the signal is aborted. */
  next(matches: (event: Incoming) => boolean, from: number, signal: AbortSignal): Promise<Incoming>
  close(): Promise<void>
}

/** Returns the adapter that a built-in plugin declares. */
export const adapterOf = ({setup}: PluginDefinition): AdapterDefinition<never> => {
  const declared: AdapterDefinition<never>[] = []
  setup({adapter: (_slot: string, adapter: never) => declared.push(adapter)} as never, {} as never, {} as never)
  const [adapter] = declared
  if (adapter === undefined) throw new Error("the plugin declares no adapter")
  return adapter
}

const silent = () => {}
const log: Endpoint["log"] = {
  silly: silent,
  trace: silent,
  debug: silent,
  info: silent,
  warn: silent,
  error: silent,
  fatal: silent,
  with: () => log,
}

/** Opens an account without a Host. `lost` hears of the end of the connection. */
export const openAccount = async (
  adapter: AdapterDefinition<never>,
  account: Account,
  tools: Tools,
  lost: (error: Error) => void,
): Promise<OpenAccount> => {
  const events: Incoming[] = []
  const listeners = new Set<() => void>()
  const closing = new AbortController()
  const undos: (() => unknown)[] = []
  const receive = async (received: Incoming | readonly Incoming[]) => {
    const fresh = [received].flat()
    events.push(...fresh)
    for (const listener of listeners) listener()
    const receipts = fresh.map((_, index) => ({sn: events.length + index, duplicate: false, dropped: false}))
    return Array.isArray(received) ? receipts : receipts[0]
  }
  const endpoint: Endpoint = {
    ...tools,
    name: "recorded",
    cursor: undefined,
    log,
    signal: closing.signal,
    receive: receive as Endpoint["receive"],
    defer: undo => undos.push(undo),
    login: silent,
    verifier: () => Promise.reject(new Error("a recording has no webhooks")),
    file: async ({attrs}) => (attrs.src === storedFile.src ? storedFile : undefined),
    lost: error => closing.signal.aborted || lost(error),
    covers: silent,
    missing: () => silent,
    unknown: silent,
    unreadable: silent,
    accept: silent,
  }
  const close = async () => {
    closing.abort()
    for (const undo of undos.splice(0).reverse()) await undo()
  }
  const opening = adapter.open(account as never, endpoint as never) as Promise<Sender>
  const sender = await opening.catch(async error => {
    await close()
    throw error
  })
  return {
    sender,
    events,
    next: (matches, from, signal) =>
      new Promise((resolve, reject) => {
        const end = () => {
          listeners.delete(look)
          signal.removeEventListener("abort", leave)
        }
        const leave = () => {
          end()
          reject(signal.reason)
        }
        const look = () => {
          const found = events.slice(from).find(matches)
          if (found === undefined) return
          end()
          resolve(found)
        }
        listeners.add(look)
        signal.addEventListener("abort", leave)
        if (signal.aborted) leave()
        else look()
      }),
    close,
  }
}
