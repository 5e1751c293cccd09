import {type ChildProcess, spawn} from "node:child_process"
import {hostname} from "node:os"
import {setTimeout as sleep} from "node:timers/promises"
import {type ExitCode, exit} from "../../../shared/exit.ts"
import type {Log} from "../../../shared/log.ts"
import {messageOf} from "../../../shared/problems.ts"
import {acquireLock} from "../../runtime/lock.ts"
import {readingOutput} from "../../runtime/process/child-output.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {type DaemonState, daemonLock, writeDaemonState} from "./daemon-state.ts"
import type {LogFile} from "./log-file.ts"
import {decide, describeEnd, type HostEnd} from "./restart-policy.ts"
import {daemonVariable} from "./supervisor.ts"

/** How long the daemon waits for a stopping Host before it kills it, in milliseconds. A Host stops within ten seconds. */
const killAfter = 30_000

export interface DaemonOptions {
  readonly paths: ProjectPaths
  /** The command that starts the Host in the foreground. */
  readonly command: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** An absolute path. */
  readonly logFile: string
  readonly file: LogFile
  /** Writes into the log file. */
  readonly log: Log
}

/**
 * Runs the Host of a project and restarts it, until the daemon is stopped or reaches the limit of starts. Resolves to the
 * exit code. It passes SIGTERM and SIGINT to the Host, which then shuts down gracefully, and SIGHUP, which reloads. SIGUSR2
 * reopens the log. Throws `locked` if the project already has a daemon.
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
  /** Times of a monotonic clock. */
  readonly #starts: number[] = []
  #host: ChildProcess | undefined

  constructor(options: DaemonOptions) {
    this.#options = options
  }

  /** Stops the Host and the daemon. Ends a pause at once. */
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
      log.info("reopened the log file")
    } catch (error) {
      log.error(`could not reopen the log file: ${messageOf(error)}`)
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
      log.warn(`${next.why}; restarting it in ${next.after / 1000} s`)
      await this.#tell({is: "waiting", until: new Date(Date.now() + next.after).toISOString(), why: next.why})
      await sleep(next.after, undefined, {signal: this.#stopping.signal}).catch(() => {})
    }
    return this.#end(exit.ok, "stopped while no Host was running")
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
    if (code === exit.ok) log.info(`the daemon exits: ${why}`)
    else log.fatal(`the daemon gives up: ${why}`)
    await this.#tell({is: "ended", code, why})
    return code
  }

  /** Writes the state. A failure is only logged, so that the Host still runs. */
  async #tell(state: DaemonState["state"]): Promise<void> {
    const {paths, logFile, log} = this.#options
    const since = new Date().toISOString()
    await writeDaemonState(paths, {pid: process.pid, logFile, starts: this.#starts.length, since, state}).catch(error =>
      log.error("could not write the daemon's state", {error}),
    )
  }
}

/** Resolves once the Host has exited and its output was read. Processes that it left behind may keep its output open. */
const endOf = (host: ChildProcess, log: Log): Promise<HostEnd> =>
  new Promise(resolve => {
    host.on("error", error => {
      log.error("could not start the Host", {error})
      if (host.pid === undefined) resolve({code: null, signal: null})
    })
    const outputRead = readingOutput(host)
    host.on("exit", (code, signal) => void outputRead().then(() => resolve({code, signal})))
  })
