import {setTimeout as sleep} from "node:timers/promises"
import {Command, Option} from "clipanion"
import {findHolder} from "../server/runtime/lock.ts"
import {readEarlierLog} from "../server/runtime/logs/page.ts"
import {listRuns, viewRun} from "../server/runtime/logs/read-runs.ts"
import type {LogRecord} from "../server/runtime/logs/record.ts"
import {projectPaths} from "../server/runtime/project.ts"
import type {Answer} from "../shared/api/operations/client.ts"
import {type LogLevel, logLevels} from "../shared/log.ts"
import {isProblem, Problem} from "../shared/problems.ts"
import {connectHost, type HostClient, mayComeFromRestart} from "./kit/host-client.ts"
import {counted, table} from "./kit/print.ts"
import {DataCommand} from "./kit/svc-command.ts"

type Page = Answer<"GET", "/api/logs">

/** The pause between two requests for new records, or between two attempts to reach an offline Host, in milliseconds. */
const pause = 500

/** A new Host writes its token a moment after it answers; a token that it refuses more often is wrong. */
const mostRefusals = 2

export class LogsCommand extends DataCommand {
  static override usage = Command.Usage({
    description: "print the newest log records of the running Host or of an earlier run",
    details: `
      Prints the oldest of these records first. The Host keeps its newest records in memory, and writes all records to its standard output.

      The Host keeps the logs of earlier runs in \`.svc/logs\`, up to 32 MiB. \`--run\` reads them from there, so it needs no running Host.

      With \`--follow\` the command also prints new records, across restarts of the Host, and reports missed records. \`--json\` prints one record per line, and missed records as \`{"missed": …}\`.
    `,
    examples: [
      ["The newest hundred records", "svc logs --limit 100"],
      ["Warnings and errors, as they happen", "svc logs --follow --level warn"],
      ["The records of one plugin, as JSON", "svc logs --plugin greeter --json"],
      ["The last records of the previous run", "svc logs --run previous"],
      ["The runs with a kept log", "svc logs --runs"],
    ],
  })

  follow = Option.Boolean("--follow", false, {description: "Also print new records, until Ctrl-C"})
  level = Option.String("--level", {description: "The lowest level: silly, trace, debug, info, warn, error or fatal"})
  plugin = Option.String("--plugin", {description: "Only records of this plugin instance"})
  ofRun = Option.String("--run", {description: "Records of an earlier run: its runtimeId, or previous"})
  runs = Option.Boolean("--runs", false, {description: "List the runs with a kept log"})
  limit = Option.String("--limit", "50", {description: "How many existing records to print, 1 to 1000"})

  #print = (record: LogRecord): void => this.print(JSON.stringify(record))

  async run(): Promise<void> {
    if (!this.json) await this.#printPretty()
    if (this.runs) return this.#listRuns()
    if (this.ofRun !== undefined) return this.#showRun(this.ofRun)
    const host = await connectHost(this.folder)
    const page = await this.#page(host, {limit: this.limit})
    for (const record of [...page.items].reverse()) this.#print(record)
    if (this.follow) await this.#follow(host, page.head)
  }

  async #showRun(run: string): Promise<void> {
    if (this.follow) throw new Problem("request_invalid", "--follow needs the running Host: leave out --run")
    const paths = projectPaths(this.folder)
    const asked = {filter: {level: levelOf(this.level), plugin: this.plugin}, limit: limitOf(this.limit)}
    const current = (await findHolder(paths))?.runtimeId
    // The records on the disk contain no secrets.
    const page = await readEarlierLog({scrubJson: json => json}, {folder: paths.logs, run, current}, asked)
    for (const record of [...page.items].reverse()) this.#print(record)
  }

  async #listRuns(): Promise<void> {
    const shown = (await listRuns(projectPaths(this.folder).logs)).map(viewRun)
    this.show({items: shown}, () => {
      if (shown.length === 0) return "there is no log: no Host of this version has run here"
      const lines = shown.map(({runtimeId, startedAt, writtenAt, size, isCut}) => [
        runtimeId,
        startedAt,
        writtenAt,
        `${Math.ceil(size / 1024)} KiB${isCut ? ", without the oldest records" : ""}`,
      ])
      return table(["run", "started", "last record", "size"], lines)
    })
  }

  #page(host: HostClient, more: Readonly<Record<string, string>>): Promise<Page> {
    return host.get("/api/logs", {...more, level: this.level, plugin: this.plugin})
  }

  /** Prints new records until the reader closes standard output. */
  async #follow(connected: HostClient, from: string): Promise<void> {
    const reader = new AbortController()
    this.context.stdout.once("error", () => reader.abort())
    let host: HostClient | undefined = connected
    let after = from
    let isAway = false
    let refusals = 0
    while (!reader.signal.aborted) {
      try {
        host ??= await connectHost(this.folder)
        const page = await this.#page(host, {after, limit: "1000"})
        isAway = false
        if (page.missed !== null) this.#tellMissed(page.missed)
        for (const record of page.items) this.#print(record)
        after = page.head
        if (page.next !== null) continue
      } catch (error) {
        refusals = isProblem(error, "unauthorized") ? refusals + 1 : 0
        if (refusals > mostRefusals || !mayComeFromRestart(error)) throw error
        if (!isAway) this.tell("the Host is offline; waiting for it")
        isAway = true
        host = undefined
      }
      await sleep(pause, undefined, {signal: reader.signal}).catch(() => {})
    }
  }

  /** Loads tslog, which the commands that share a bundle with this one do without. */
  async #printPretty(): Promise<void> {
    const {prettyFormat} = await import("../server/runtime/logs/format.ts")
    const format = prettyFormat(process.stdout.isTTY === true && process.env.NO_COLOR === undefined)
    this.#print = record => this.printPainted(format(record))
  }

  #tellMissed(missed: NonNullable<Page["missed"]>): void {
    const {reason, records} = missed
    const text =
      reason === "restarted"
        ? "-- the Host restarted: the last records of the previous run may be missing; its standard output has them"
        : `-- ${counted(records ?? 0, "record")} missed: the Host no longer had them in memory; its standard output has them`
    this.print(this.json ? JSON.stringify({missed}) : text)
  }
}

const levelOf = (text: string = "silly"): LogLevel => {
  const level = logLevels.find(each => each === text)
  if (level === undefined)
    throw new Problem("request_invalid", `--level must be one of ${logLevels.join(", ")}, not "${text}"`)
  return level
}

const limitOf = (text: string): number => {
  const limit = Number(text)
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000)
    throw new Problem("request_invalid", `--limit must be a number from 1 to 1000, not "${text}"`)
  return limit
}
