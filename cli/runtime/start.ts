import {resolve} from "node:path"
import {Command, Option} from "clipanion"
import type {OnceOptions} from "../../server/host/once/once.ts"
import type {Host} from "../../server/host/open/host.ts"
import {start} from "../../server/host/start.ts"
import type {TrialOptions} from "../../server/host/trial/try-start.ts"
import {followSupervisor} from "../../server/process/daemon/supervisor.ts"
import {createNotifier} from "../../server/process/notify.ts"
import {requireProject} from "../../server/project/settings.ts"
import {CheckpointStore} from "../../server/recovery/checkpoint/store.ts"
import {noProgress} from "../../server/recovery/files/files.ts"
import {loadRuntime} from "../../server/runtime/engines/load-runtime.ts"
import {takeOverConsole} from "../../server/runtime/logs/console.ts"
import {createLogs, type Logs} from "../../server/runtime/logs/log.ts"
import {createOutput} from "../../server/runtime/logs/output.ts"
import {ownCommand} from "../../server/runtime/own-files.ts"
import type {Exit} from "../../server/runtime/part.ts"
import {onLateException} from "../../server/runtime/process/late-exceptions.ts"
import {onSignals} from "../../server/runtime/process/signals.ts"
import {endProcess, onUnaskedExit} from "../../server/runtime/process/unasked-exit.ts"
import {projectPaths} from "../../server/runtime/project.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {type Mode, modes} from "../../shared/mode.ts"
import {isProblem, Problem} from "../../shared/problems.ts"
import {configuredMemory} from "../kit/runtime/memory.ts"
import {SvcCommand} from "../kit/svc-command.ts"

/** The longest time that a stop may take before the process ends anyway, in milliseconds. */
const stopLimit = 10_000

export class RuntimeStart extends SvcCommand {
  static override usage = Command.Usage({
    description: "start the Host of a project in the foreground",
    details: `
      Runs until SIGTERM or SIGINT, then shuts down gracefully with exit code 0. A second signal ends the process at once. SIGHUP reloads the configuration.

      Exit code 51 means that an operator requested a restart, 75 that a change needs one. In both cases the supervisor starts the Host again.

      With \`--daemon\` a background process starts the Host, and restarts it after exit code 51 or 75 and after a crash, at most 5 times in 120 s. Then it gives up, and \`svc runtime status\` shows why. The daemon outlives the terminal and writes to .svc/runtime.log. The command refuses \`--daemon\` if another supervisor runs the Host.

      With \`--once\` the Host assembles everything without opening a port, prints one line of JSON, and exits 0 or 1. It uses an empty database, or with \`--from-checkpoint\` a restored copy of a checkpoint, and applies every migration to that copy. It sends nothing, runs no job, and deletes the database afterwards.
    `,
    examples: [
      ["On a laptop, reloading saved changes", "svc runtime start"],
      ["Under a supervisor", "svc runtime start --mode production --no-watch"],
      ["On a server without another supervisor", "svc runtime start --mode production --no-watch --daemon"],
      ["Test whether the project starts", "svc runtime start --once --mode test"],
      ["Test the migrations on real data", "svc runtime start --once --mode test --from-checkpoint newest"],
    ],
  })

  mode = Option.String("--mode", "development", {description: "development, production or test"})
  environment = Option.String("--environment", {description: "Reads .env.<name> over .env (default: the mode)"})
  watch = Option.Boolean("--watch", {description: "Reload changes when they are saved (default in development)"})
  daemon = Option.Boolean("--daemon", false, {description: "Run the Host in the background; restart it if it exits"})
  logFile = Option.String("--log-file", {description: "The daemon's log file (default: .svc/runtime.log)"})
  once = Option.Boolean("--once", false, {description: "Assemble everything, report, and exit"})
  allowStale = Option.Boolean("--allow-stale", false, {
    description: "In production: run plugins whose build is older than their source; no release can then be completed",
  })
  fromCheckpoint = Option.String("--from-checkpoint", {
    description: "With --once: use a copy of this checkpoint: its id, newest, its folder, or an archive file",
  })

  /** Internal: the folder of files through which a running Host tries its next start. */
  trial = Option.String("--trial", {hidden: true})

  #scrub = (text: string) => text

  async run(): Promise<ExitCode> {
    const mode = modes.find(each => each === this.mode)
    if (mode === undefined)
      throw new Problem("request_invalid", `--mode must be development, production or test, not "${this.mode}"`)
    if (this.logFile !== undefined && !this.daemon)
      throw new Problem("request_invalid", "--log-file needs --daemon; without it the log goes to stdout")
    if (this.daemon && this.once) throw new Problem("request_invalid", "--daemon and --once cannot be used together")
    if (this.fromCheckpoint !== undefined && !this.once)
      throw new Problem("request_invalid", "--from-checkpoint needs --once", {
        hint: "To replace the project's state by a checkpoint, use svc checkpoint restore.",
      })
    if (this.trial !== undefined && !this.once) throw new Problem("request_invalid", "--trial needs --once")
    if (this.daemon) return this.#daemon(mode)
    const environment = this.environment === undefined ? {} : {environment: this.environment}
    const logs = this.#logs(mode)
    this.#scrub = logs.scrub
    takeOverConsole(logs.log)
    if (this.once) return this.#once(mode, environment, logs)
    return this.#start(mode, environment, logs)
  }

  /** Scrubs the error: it may contain a secret, such as a database's address or a plugin's setting. */
  override describe(error: unknown): string {
    return this.#scrub(super.describe(error))
  }

  #logs(mode: Mode): Logs {
    const colors = process.stdout.isTTY === true && process.env.NO_COLOR === undefined
    const output = createOutput(this.once ? process.stderr : process.stdout, dropped =>
      logs.log.warn(`${dropped} log records were not written: standard output was closed, full or not read`, {dropped}),
    )
    const logs = createLogs({
      level: "info",
      format: mode === "production" ? "json" : "pretty",
      colors,
      write: line => output.write(`${line}\n`),
    })
    return logs
  }

  async #daemon(mode: Mode): Promise<ExitCode> {
    const project = projectPaths(this.folder)
    await requireProject(project)
    // Loaded only here, so that a Host without a daemon starts faster.
    const {daemonise} = await import("../kit/runtime/daemonise.ts")
    return daemonise({
      paths: project,
      format: mode === "production" ? "json" : "pretty",
      logFile: this.logFile === undefined ? project.log : resolve(this.logFile),
      host: [
        ...this.#words(mode),
        ...(this.watch === undefined ? [] : [this.watch ? "--watch" : "--no-watch"]),
        ...(this.allowStale ? ["--allow-stale"] : []),
      ],
      print: text => this.print(text),
    })
  }

  async #once(mode: Mode, environment: {environment?: string}, logs: Logs): Promise<ExitCode> {
    logs.setLevel("error")
    const ending = new AbortController()
    // Without this, a plugin that exits would look like a successful start.
    onUnaskedExit(({call, error}) => {
      if (call !== undefined) throw error
      logs.log.error(`the start ended early: ${error.message}`)
    })
    onSignals({stop: signal => ending.abort(new Problem("stopping", `${signal} ended the start`)), reload: () => {}})
    if (this.trial !== undefined) return this.#try(this.trial, {mode, ...environment, logs, signal: ending.signal})
    const checkpoint = this.#checkpoint()
    const {startOnce} = await import("../../server/host/once/once.ts")
    const result = await startOnce(
      {
        project: this.folder,
        mode,
        ...environment,
        logs,
        signal: ending.signal,
        ...(checkpoint === undefined ? {} : {withCheckpoint: checkpoint}),
      },
      await loadRuntime(),
    )
    this.print(logs.scrubJson(JSON.stringify(result)))
    return result.ok ? exit.ok : exit.failed
  }

  async #try(folder: string, options: Omit<TrialOptions, "project" | "folder">): Promise<ExitCode> {
    // Like a Host, its trial survives an uncaught exception.
    onLateException(error => options.logs.log.error("an exception was not caught", {error}))
    const {tryStart} = await import("../../server/host/trial/try-start.ts")
    const isFit = await tryStart({project: this.folder, folder, ...options}, await loadRuntime())
    return isFit ? exit.ok : exit.failed
  }

  #checkpoint(): OnceOptions["withCheckpoint"] {
    const name = this.fromCheckpoint
    if (name === undefined) return undefined
    const {checkpoints, temporary} = projectPaths(this.folder)
    const where = {store: new CheckpointStore(checkpoints), temporary, input: process.stdin, progress: noProgress}
    return async work => (await import("../kit/checkpoint/open.ts")).withCheckpoint(name, where, work)
  }

  /** Returns the arguments that start a Host of the same project and configuration. */
  #words(mode: Mode): readonly string[] {
    const environment = this.environment === undefined ? [] : ["--environment", this.environment]
    return ["runtime", "start", "--project", this.folder, "--mode", mode, ...environment]
  }

  async #start(mode: Mode, environment: {environment?: string}, logs: Logs): Promise<ExitCode> {
    const starting = new AbortController()
    let host: Host | undefined
    const started = Promise.withResolvers<Host>()
    const asked = Promise.withResolvers<Exit>()
    onSignals({
      stop: signal => {
        starting.abort()
        asked.resolve({code: exit.ok, reason: signal})
      },
      // A SIGHUP during the start takes effect after it: the start may have read the old configuration.
      reload: () => void started.promise.then(running => running.reload("SIGHUP")),
    })
    onLateException(error => {
      if (host === undefined) logs.log.error("an exception was not caught while starting", {error})
      // Plugins may already run before `start` resolves, because the Host serves requests earlier.
      void started.promise.then(running => running.contain(error))
    })
    const runtime = await loadRuntime()
    const notifier = createNotifier(process.env, logs.log)
    const options = {
      project: this.folder,
      mode,
      ...environment,
      watch: this.watch ?? mode === "development",
      allowStale: this.allowStale,
      nextStart: [...ownCommand(), ...this.#words(mode)],
      command: ["svc", ...process.argv.slice(2)].join(" "),
      supervisor: followSupervisor(process.env, process),
      onUnaskedExit,
      onUp: notifier.up,
      logs,
      signal: starting.signal,
    }
    await runtime.startWith(() => configuredMemory(options))
    try {
      host = await start(options, runtime)
    } catch (error) {
      if (isProblem(error, "stopping")) return exit.ok
      throw error
    }
    started.resolve(host)
    runtime.saveMemory()
    if (mode === "development") {
      const {banner} = await import("../kit/runtime/banner.ts")
      this.print(banner(host, this.folder))
    }
    const {watchLoop} = await import("../kit/runtime/watch-loop.ts")
    const endWatchdog = watchLoop(host, mode, logs)
    const ending = await Promise.race([asked.promise, host.exitAsked])
    notifier.stopping()
    await host.rescueBeforeEnd()
    // The timer outlives the stop, so that a stalled reader of the log cannot keep the process alive.
    setTimeout(() => {
      logs.log.error(`the Host did not stop within ${stopLimit / 1000} s`)
      endProcess(ending.code)
    }, stopLimit)
    await endWatchdog()
    await host.stop(ending)
    return ending.code
  }
}
