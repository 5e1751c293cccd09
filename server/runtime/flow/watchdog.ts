import {setTimeout as sleep} from "node:timers/promises"
import {Worker} from "node:worker_threads"
import {beat, handlerSlots} from "./handler-slots.ts"

export interface WatchdogOptions {
  /** How long the event loop may be blocked before it is told. */
  readonly seconds: number
  /** End the process by SIGKILL once it was told. */
  readonly kill: boolean
  /** Lines of JSON, or lines for a terminal. */
  readonly json: boolean
  /** Fields of each line: project and runtimeId. */
  readonly fields: Readonly<Record<string, string>>
}

/** What the thread gets. */
export interface WatchdogWork extends WatchdogOptions {
  readonly shared: SharedArrayBuffer
}

/** A block that was told. `frame` is where the runtime gives it: Node. */
export interface Blocked {
  readonly seconds: number
  readonly handlers: readonly string[]
  readonly frame: string | undefined
}

/** What the thread gets to end, in milliseconds; it may be looking for the frame of a block. */
const endLimit = 2000

/** How often the event loop says that it turns, in milliseconds. */
const beatEvery = 500

export interface WatchdogListener {
  /** The event loop was blocked, and is free again. */
  blocked(blocked: Blocked): void
  /** The thread ended by an error, and watches no more. */
  failed(error: Error): void
}

/**
 * Starts the thread that sees a blocked event loop, and writes a line to standard error while it is. `module` is the
 * thread's code. The function that is returned ends the thread; every orderly end of the process awaits it.
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
