import {relative} from "node:path"
import {runDaemon} from "../../../server/process/daemon/daemon.ts"
import {LogFile} from "../../../server/process/daemon/log-file.ts"
import {startDaemon} from "../../../server/process/daemon/start-daemon.ts"
import {findSupervisor} from "../../../server/process/daemon/supervisor.ts"
import {createLogs} from "../../../server/runtime/logs/log.ts"
import {ownCommand} from "../../../server/runtime/own-files.ts"
import type {ProjectPaths} from "../../../server/runtime/project.ts"
import {type ExitCode, exit} from "../../../shared/exit.ts"
import {Problem} from "../../../shared/problems.ts"

interface DaemonCall {
  readonly paths: ProjectPaths
  readonly format: "json" | "pretty"
  /** An absolute path. */
  readonly logFile: string
  /** The words after `svc` that start the Host in the foreground. */
  readonly host: readonly string[]
  readonly print: (text: string) => void
}

/** Marks the daemon's process, whose command line equals that of the command that started it. */
const isDaemonVariable = "SVC_IS_DAEMON"

/** Starts a daemon, or runs as the daemon if this process was started as one. */
export const daemonise = async (call: DaemonCall): Promise<ExitCode> => {
  const {[isDaemonVariable]: isDaemon, ...env} = process.env
  const svc = ownCommand()
  if (isDaemon !== undefined) return beDaemon(call, [...svc, ...call.host], env)
  if (process.pid === 1) {
    throw new Problem("other_supervisor", "this is a container's main process: the daemon would end with it at once", {
      hint: "Start the Host without --daemon, and give the container a restart policy.",
    })
  }
  const {paths, logFile, host, print} = call
  const started = await startDaemon({
    paths,
    logFile,
    supervisor: findSupervisor(process.env, process),
    command: [...svc, ...host, "--daemon", "--log-file", logFile],
    env: {...env, [isDaemonVariable]: "1"},
    report: step => print(`svc: ${step}`),
  })
  const log = relative(process.cwd(), logFile)
  if (started === undefined) print(`the Host is still starting; see svc runtime status and ${log}`)
  else print(`the daemon, pid ${started.pid}, runs the Host, pid ${started.host}, at ${started.url}; log: ${log}`)
  return exit.ok
}

const beDaemon = async (
  {paths, format, logFile}: DaemonCall,
  command: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<ExitCode> => {
  const file = new LogFile(logFile)
  const {log} = createLogs({level: "info", format, colors: false, write: line => file.write(`${line}\n`)})
  return runDaemon({paths, command, cwd: paths.project, env, logFile, file, log})
}
