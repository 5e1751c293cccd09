import {type ChildProcess, spawn} from "node:child_process"
import {hostname} from "node:os"
import {setTimeout as sleep} from "node:timers/promises"
import {type ExitCode, exit} from "../../shared/exit.ts"
import type {Log} from "../../shared/log.ts"
import {messageOf} from "../../shared/problems.ts"
import {acquireLock} from "../runtime/lock.ts"
import {readingOutput} from "../runtime/process/child-output.ts"
import type {ProjectPaths} from "../runtime/project.ts"
import {type DaemonState, daemonLock, writeDaemonState} from "./daemon-state.ts"
import type {LogFile} from "./log-file.ts"
import {decide, describeEnd, type HostEnd} from "./restart-policy.ts"
import {daemonVariable} from "./supervisor.ts"

/** A Host that is asked to end, and has not after so many milliseconds, is killed. It ends itself in ten seconds. */
const killAfter = 30_000

export interface DaemonOptions {
  readonly paths: ProjectPaths
  /** What starts the Host in the foreground. */
  readonly command: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** Absolute. */
  readonly logFile: string
  readonly file: LogFile
  /** Writes into the log file. */
  readonly log: Log
}

/**
 * Runs the Host of a project again and again, until it is stopped or the limit of starts is reached; resolves to the exit
 * code. SIGTERM and SIGINT are passed to the Host, which ends in order; SIGHUP too, which reloads; SIGUSR2 reopens the
 * log. Throws `locked` where a daemon runs for the project.
 */
export const runDaemon = async (options: DaemonOptions): Promise<ExitCode> => {
  const daemon = new Daemon(options)
  process.on("SIGTERM", () => daemon.stop("SIGTERM"))
  process.on("SIGINT", () => daemon.stop("SIGINT"))
  process.on("SIGHUP", () => daemon.reload())
  process.on("SIGUSR2", () => daemon.reopenLog())
  const lock = await acquireLock(daemonLock(options.paths), {
    kind: "daemon",
    hostname: hostname(),
    pid: process.pid,
    runtimeId: "none",
    command: ["svc", ...process.argv.slice(2)].join(" "),
    since: new Date().toISOString(),
  })
  try {
    return await daemon.run()
  } finally {
    await lock.release()
  }
}

class Daemon {
  readonly #options: DaemonOptions
  readonly #stopping = new AbortController()
  /** On a clock that is not set back. */
  readonly #starts: number[] = []
  #host: ChildProcess | undefined

  constructor(options: DaemonOptions) {
    this.#options = options
  }

  /** Also during a pause, which it ends at once. */
  stop(signal: NodeJS.Signals): void {
    this.#host?.kill(signal)
    if (this.#stopping.signal.aborted) return
    this.#options.log.info(`stopping the daemon (${signal})`)
    setTimeout(() => this.#host?.kill("SIGKILL"), killAfter).unref()
    this.#stopping.abort()
  }

  reload(): void {
    this.#host?.kill("SIGHUP")
  }

  reopenLog(): void {
    const {file, log} = this.#options
    try {
      file.reopen()
      log.info("the log file was reopened")
    } catch (error) {
      log.error(`the log file was not reopened: ${messageOf(error)}`)
    }
  }

  async run(): Promise<ExitCode> {
    const {log} = this.#options
    log.info(`the daemon runs as pid ${process.pid}`)
    while (!this.#stopping.signal.aborted) {
      this.#starts.push(performance.now())
      const end = await this.#runHost()
      if (this.#stopping.signal.aborted) return this.#end(exit.ok, `stopped; ${describeEnd(end)}`)
      const next = decide(end, this.#starts, performance.now())
      if (next.is === "ended") return this.#end(next.code, next.why)
      log.warn(`${next.why}; the next start is in ${next.after / 1000} s`)
      await this.#tell({is: "waiting", until: new Date(Date.now() + next.after).toISOString(), why: next.why})
      await sleep(next.after, undefined, {signal: this.#stopping.signal}).catch(() => {})
    }
    return this.#end(exit.ok, "stopped while no Host ran")
  }

  async #runHost(): Promise<HostEnd> {
    const {command, cwd, env, log} = this.#options
    const [program = "", ...args] = command
    const host = spawn(program, args, {
      cwd,
      env: {...env, [daemonVariable]: String(process.pid)},
      stdio: ["ignore", "pipe", "pipe"],
    })
    this.#host = host
    for (const stream of [host.stdout, host.stderr]) this.#record(stream)
    const ended = endOf(host, log)
    if (host.pid !== undefined) await this.#tell({is: "running", host: host.pid})
    const end = await ended
    this.#host = undefined
    return end
  }

  #record(stream: NodeJS.ReadableStream): void {
    const lines = this.#options.file.lines()
    stream.setEncoding("utf8")
    stream.on("data", (text: string) => lines.write(text))
    stream.on("close", () => lines.end())
  }

  async #end(code: ExitCode, why: string): Promise<ExitCode> {
    const {log} = this.#options
    if (code === exit.ok) log.info(`the daemon ends: ${why}`)
    else log.fatal(`the daemon gives up: ${why}`)
    await this.#tell({is: "ended", code, why})
    return code
  }

  /** A state that cannot be written keeps no Host from running. */
  async #tell(state: DaemonState["state"]): Promise<void> {
    const {paths, logFile, log} = this.#options
    const since = new Date().toISOString()
    await writeDaemonState(paths, {pid: process.pid, logFile, starts: this.#starts.length, since, state}).catch(error =>
      log.error("the daemon's state was not written", {error}),
    )
  }
}

/** Resolves when the Host is gone and what it printed was read; whoever it left behind may hold its output open. */
const endOf = (host: ChildProcess, log: Log): Promise<HostEnd> =>
  new Promise(resolve => {
    host.on("error", error => {
      log.error("the Host could not be started", {error})
      if (host.pid === undefined) resolve({code: null, signal: null})
    })
    const outputRead = readingOutput(host)
    host.on("exit", (code, signal) => void outputRead().then(() => resolve({code, signal})))
  })
