import {setTimeout as sleep} from "node:timers/promises"
import {Worker} from "node:worker_threads"
import {beat, handlerSlots} from "./handler-slots.ts"

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
}

/** A reported block. Only Node provides `frame`. */
export interface Blocked {
  readonly seconds: number
  readonly handlers: readonly string[]
  readonly frame: string | undefined
}

/** How long the thread may take to end, in milliseconds: it may be looking for the frame of a block. */
const endLimit = 2000

/** The interval of the heartbeat, in milliseconds. */
const beatEvery = 500

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
  const work: WatchdogWork = {...options, shared: handlerSlots}
  const worker = new Worker(module, {workerData: work, execArgv: []})
  const ended = new Promise<void>(resolve => {
    worker.once("exit", () => resolve())
  })
  worker.once("error", error => listener.failed(error))
  worker.on("message", blocked => listener.blocked(blocked))
  worker.unref()
  const beating = setInterval(beat, beatEvery)
  beating.unref()
  return async () => {
    clearInterval(beating)
    worker.ref()
    worker.postMessage("end")
    await Promise.race([ended, sleep(endLimit, undefined, {ref: false})])
  }
}
