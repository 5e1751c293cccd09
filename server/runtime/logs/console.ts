import {format} from "node:util"
import type {Log, LogLevel} from "../../../shared/log.ts"
import {tryOr} from "../../../shared/try-or.ts"
import {whatIsAround} from "../flow/around.ts"

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

/** Turns `console.log` of this process into records, with the plugin that calls it. `process.stdout` stays as it is. */
export const takeOverConsole = (log: Log): void => {
  for (const [method, level] of Object.entries(levels)) {
    console[method as keyof typeof levels] = (...args: unknown[]) => {
      const error = args.find(argument => argument instanceof Error)
      log[level](formatArguments(args), {...whatIsAround(), ...(error === undefined ? {} : {error})})
    }
  }
  // Node writes its warnings by `console.error`, though nothing has failed.
  for (const listener of process.listeners("warning"))
    if (listener.name === "onWarning") process.off("warning", listener)
  process.on("warning", ({name, message}) =>
    log[name === "DeprecationWarning" ? "debug" : "warn"](`${name}: ${message}`),
  )
}

/** Shows only the message of an error; the record has the rest under `error`. */
const formatArguments = (args: readonly unknown[]): string =>
  tryOr(
    () => format(...args.map(argument => (argument instanceof Error ? argument.message : argument))),
    "[unreadable]",
  )
