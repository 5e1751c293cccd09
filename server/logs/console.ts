import {format} from "node:util"
import type {Log, LogLevel} from "../../shared/log.ts"
import {whatIsAround} from "./around.ts"

const levels = {
  log: "info",
  info: "info",
  dir: "info",
  table: "info",
  warn: "warn",
  error: "error",
  debug: "debug",
  trace: "trace",
} as const satisfies Record<string, LogLevel>

/**
 * Makes every `console.log` of this process a record: of the plugin whose code calls it, where that is known. What
 * writes to `process.stdout` itself stays as it is.
 */
export const takeOverConsole = (log: Log): void => {
  for (const [method, level] of Object.entries(levels)) {
    console[method as keyof typeof levels] = (...args: unknown[]) => {
      const error = args.find(argument => argument instanceof Error)
      log[level](formatArguments(args), {...whatIsAround(), ...(error === undefined ? {} : {error})})
    }
  }
}

/** An error says its message here, and the rest under `error`. */
const formatArguments = (args: readonly unknown[]): string => {
  try {
    return format(...args.map(argument => (argument instanceof Error ? argument.message : argument)))
  } catch {
    return "[unreadable]"
  }
}
