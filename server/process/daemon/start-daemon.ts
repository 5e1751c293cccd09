import {type ChildProcess, spawn} from "node:child_process"
import {closeSync} from "node:fs"
import {setTimeout as sleep} from "node:timers/promises"
import {Problem} from "../../../shared/problems.ts"
import {makePrivateFolder} from "../../runtime/files.ts"
import {readHostFile} from "../../runtime/host-file.ts"
import {lockedBy, requireUnlocked} from "../../runtime/lock.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import type {DaemonOptions} from "./daemon.ts"
import {findDaemon, readDaemonState} from "./daemon-state.ts"
import {openLog} from "./log-file.ts"

export interface DaemonStart extends Pick<DaemonOptions, "paths" | "env" | "logFile"> {
  /** The supervisor of this process, which would also own its Host; `none` if there is none. */
  readonly supervisor: string
  /** The command line of the daemon. */
  readonly command: readonly string[]
  /** Called at each change while the Host starts. */
  readonly report: (step: string) => void
}

export interface StartedDaemon {
  readonly pid: number
  readonly host: number
  readonly url: string
}

/** How long to wait for a starting Host, in milliseconds: a migration may take long. */
const patience = 60_000

/**
 * Starts a daemon that outlives this process and its terminal. Resolves once its Host serves requests, or to undefined if
 * the Host is still starting after a minute. Throws `other_supervisor`, `locked`, `state_unwritable`, `daemon_failed`.
 */
export const startDaemon = async (start: DaemonStart): Promise<StartedDaemon | undefined> => {
  requireNoOther(start.supervisor)
  await makePrivateFolder(start.paths.state)
  await requireFree(start.paths)
  return waitUntilServing(start, detach(start))
}

/** Throws if another supervisor would own the restarts of the Host. */
const requireNoOther = (supervisor: string): void => {
  if (supervisor === "none") return
  throw new Problem("other_supervisor", `${supervisor} starts and restarts the Host here`, {
    hint: "Start it in the foreground, without --daemon: svc runtime start --mode production --no-watch",
  })
}

const requireFree = async (paths: ProjectPaths): Promise<void> => {
  const daemon = await findDaemon(paths)
  if (daemon !== undefined) throw lockedBy(daemon)
  await requireUnlocked(paths)
}

const detach = ({paths, command, env, logFile}: DaemonStart): ChildProcess => {
  // The daemon opens the log too. Opening it here reports errors to the operator, and keeps the output of a broken daemon.
  const output = openLog(logFile)
  const [program = "", ...args] = command
  const child = spawn(program, args, {cwd: paths.project, env, detached: true, stdio: ["ignore", output, output]})
  child.unref()
  closeSync(output)
  return child
}

const waitUntilServing = async (
  {paths, logFile, report}: DaemonStart,
  child: ChildProcess,
): Promise<StartedDaemon | undefined> => {
  let told = ""
  const deadline = performance.now() + patience
  while (performance.now() < deadline) {
    // Read before the state: a daemon writes its last state before it exits.
    const isGone = child.exitCode !== null || child.signalCode !== null
    const last = await readDaemonState(paths)
    const state = last?.pid === child.pid ? last?.state : undefined
    if (isGone || state?.is === "ended") {
      throw new Problem("daemon_failed", state?.is === "ended" ? state.why : "the daemon ended at once", {
        hint: `Read ${logFile} and fix the problem, then start the daemon again.`,
      })
    }
    if (state?.is === "waiting" && state.until !== told) {
      told = state.until
      report(`${state.why}; the daemon restarts it`)
    }
    const host = state?.is === "running" ? await readHostFile(paths) : undefined
    if (state?.is === "running" && host?.pid === state.host && child.pid !== undefined)
      return {pid: child.pid, host: host.pid, url: host.url}
    await sleep(50)
  }
  return undefined
}
