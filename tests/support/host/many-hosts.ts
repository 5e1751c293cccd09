import {createInterface} from "node:readline"
import type {Host} from "../../../server/host/open/host.ts"
import {start} from "../../../server/host/start.ts"
import {loadRuntime} from "../../../server/runtime/engines/load-runtime.ts"
import {createLogs} from "../../../server/runtime/logs/log.ts"
import {exit} from "../../../shared/exit.ts"
import {messageOf} from "../../../shared/problems.ts"

/** Runs many Hosts in one process on Bun, from the source. Takes lines of JSON, and ends with its standard input. */
export type Command =
  | {readonly start: number; readonly project: string; readonly watch: boolean}
  | {readonly stop: number}
  | {readonly set: Readonly<Record<string, string | null>>}

/** What the process tells of a Host, by its number. */
export type Told = {readonly host: number} & (
  | {readonly is: "log"; readonly line: string}
  | {readonly is: "started"}
  | {readonly is: "failed"; readonly why: string}
  | {readonly is: "ended"; readonly code: number}
)

/** A line begins with the number of the Host: plugins may print others. */
const tell = ({host, ...told}: Told) => process.stdout.write(`${JSON.stringify({host, ...told})}\n`)

const running = new Map<number, Host>()

const run = async (number: number, project: string, watch: boolean): Promise<void> => {
  const logs = createLogs({
    level: "info",
    format: "pretty",
    colors: false,
    write: line => void tell({host: number, is: "log", line}),
  })
  const {signal} = new AbortController()
  const options = {project, mode: "development", watch, command: "svc runtime start", logs, signal} as const
  const host = await start({...options, supervisor: () => "none"}, await loadRuntime())
  running.set(number, host)
  tell({host: number, is: "started"})
  void host.exitAsked.then(({code, reason}) => end(number, code, reason))
}

const end = async (number: number, code: Parameters<Host["stop"]>[0]["code"], reason: string): Promise<void> => {
  const host = running.get(number)
  // It may have asked to exit by itself.
  if (host === undefined || !running.delete(number)) return
  await host.rescueBeforeEnd()
  await host.stop({code, reason})
  tell({host: number, is: "ended", code})
}

const obey = async (command: Command): Promise<void> => {
  if ("set" in command) {
    for (const [name, value] of Object.entries(command.set))
      if (value === null) delete process.env[name]
      else process.env[name] = value
  } else if ("stop" in command) await end(command.stop, exit.ok, "SIGTERM")
  else
    await run(command.start, command.project, command.watch).catch(error =>
      tell({host: command.start, is: "failed", why: messageOf(error)}),
    )
}

for (const name of ["uncaughtException", "unhandledRejection"] as const)
  process.on(name, error => {
    for (const host of running.values()) void host.contain(error)
  })
const lines = createInterface({input: process.stdin})
lines.on("line", line => void obey(JSON.parse(line) as Command))
lines.on("close", () => process.exit(0))
