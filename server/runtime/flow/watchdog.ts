import {setTimeout as sleep} from "node:timers/promises"
import {Worker} from "node:worker_threads"
import {beat, handlerSlots} from "./handler-slots.ts"
import {repeat} from "./periodic.ts"

export interface WatchdogOptions {
  /** How long the event loop may be blocked before the watchdog reports it. */
  readonly seconds: number
  /** Kill the process with SIGKILL after the report. */
  readonly kill: boolean
  /** Write lines of JSON, or lines for a terminal. */
  readonly json: boolean
  /** Fields of each line: project and runtimeId. */
  readonly fields: Readonly<Record<string, string>>
}

/** The data that the thread receives. */
export interface WatchdogWork extends WatchdogOptions {
  readonly shared: SharedArrayBuffer
  /** The interval of the heartbeat, in milliseconds. */
  readonly beatEvery: number
}

/** A reported block. Only Node provides `frame`. */
export interface Blocked {
  readonly seconds: number
  readonly handlers: readonly string[]
  readonly frame: string | undefined
}

/** How long the thread may take to end, in milliseconds: it may be looking for the frame of a block. */
const endLimit = 2000

export interface WatchdogListener {
  /** The event loop was blocked and is free again. */
  blocked(blocked: Blocked): void
  /** The thread failed and no longer watches. */
  failed(error: Error): void
}

/**
 * Starts the thread that detects a blocked event loop and writes a line to standard error during the block. `module` is
 * the code of the thread. Returns a function that ends the thread; every orderly exit of the process awaits it.
 */
export const startWatchdog = (
  module: string,
  options: WatchdogOptions,
  listener: WatchdogListener,
): (() => Promise<void>) => {
  const beatEvery = options.seconds < 5 ? 500 : 1000
  const work: WatchdogWork = {...options, shared: handlerSlots, beatEvery}
  const worker = new Worker(module, {workerData: work, execArgv: []})
  const ended = new Promise<void>(resolve => {
    worker.once("exit", () => resolve())
  })
  worker.once("error", error => listener.failed(error))
  worker.on("message", blocked => listener.blocked(blocked))
  worker.unref()
  const endBeating = repeat(beatEvery, beat)
  return async () => {
    endBeating()
    worker.ref()
    worker.postMessage("end")
    await Promise.race([ended, sleep(endLimit, undefined, {ref: false})])
  }
}
