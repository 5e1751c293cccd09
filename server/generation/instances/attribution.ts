import {type Instance, runningInstance} from "./instance.ts"

/**
 * Returns the instance that an uncaught exception belongs to: the one whose code was running, or else the one whose
 * file is in the stack. Undefined if neither is known. The runtimes track running code through timers, sockets, files
 * and WebSockets, but not through queueMicrotask on Bun and Node 22, nor to an unhandled rejection on Bun (measured).
 */
export const attribute = (error: unknown, instances: readonly Instance[]): Instance | undefined => {
  const owner = runningInstance()
  if (owner !== undefined) return owner
  const stack = error instanceof Error ? (error.stack ?? "") : ""
  return instances.find(instance => instance.files.some(file => stack.includes(file)))
}
