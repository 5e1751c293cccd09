import {type Instance, runningInstance} from "./instance.ts"

/**
 * Which instance an exception belongs to that nobody caught: the one whose code was running, else the one whose file
 * stands in the stack. Undefined where neither tells. What each runtime keeps: timers, sockets, files and WebSockets
 * everywhere; not queueMicrotask on Bun and Node 22, and not an unhandled rejection on Bun (measured).
 */
export const attribute = (error: unknown, instances: readonly Instance[]): Instance | undefined => {
  const owner = runningInstance()
  if (owner !== undefined) return owner
  const stack = error instanceof Error ? (error.stack ?? "") : ""
  return instances.find(instance => instance.files.some(file => stack.includes(file)))
}
