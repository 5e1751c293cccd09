import {existsSync, readFileSync} from "node:fs"
import {onTestFinished} from "vitest"
import {type Finished, onBun, posting, svc, type TestRuntime, until} from "../../support/host/host.ts"
import {makeProject, type Project, type ProjectOptions} from "../../support/host/project.ts"

export interface DaemonFile {
  readonly pid: number
  readonly starts: number
  readonly state:
    | {readonly is: "running"; readonly host: number}
    | {readonly is: "waiting"; readonly until: string; readonly why: string}
    | {readonly is: "ended"; readonly code: number; readonly why: string}
}

export const daemonToken = "a-token-of-the-daemon-tests-0123456789"

export const daemonConfig = "http: {port: 0, token: '${HTTP_TOKEN}'}\nplugins: {sandbox: {}}\n"

export interface DaemonOptions extends ProjectOptions {
  readonly runtime?: TestRuntime
  readonly project?: Project
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export interface TestDaemon {
  readonly project: Project
  /** The output and exit code of the command that started it. */
  readonly started: Finished
  file(): DaemonFile | undefined
  /** Resolves to the pid of a Host that serves, other than `before` if that is given. */
  serving(before?: number): Promise<number>
  url(): string
  post(path: string, body?: unknown): Promise<Response>
  log(): string
}

/** Runs `svc runtime start --daemon` in production. Daemon and Host are killed when the test ends, at the latest. */
export const startDaemon = async ({
  runtime = onBun,
  args = [],
  env = {},
  ...options
}: DaemonOptions = {}): Promise<TestDaemon> => {
  const project = options.project ?? makeProject({config: daemonConfig, ...options})
  const json = <T>(path: string): T | undefined => {
    try {
      return existsSync(project.path(path)) ? (JSON.parse(project.read(path)) as T) : undefined
    } catch {
      return undefined
    }
  }
  const file = () => json<DaemonFile>(".svc/daemon.json")
  const hostFile = () => json<{pid: number; url: string}>(".svc/host.json")
  onTestFinished(async () => {
    const state = file()
    const pids = [state?.pid, state?.state.is === "running" ? state.state.host : undefined, hostFile()?.pid]
    for (const pid of pids) if (pid !== undefined && isOf(project, pid)) process.kill(pid, "SIGKILL")
  })
  const line = ["runtime", "start", "--mode", "production", "--no-watch", "--daemon", ...args]
  const started = await svc(runtime, project, line, {env: {HTTP_TOKEN: daemonToken, ...env}})
  return {
    project,
    started,
    file,
    serving: before =>
      until("a Host to serve", () => {
        const state = file()?.state
        const pid = hostFile()?.pid
        return state?.is === "running" && state.host === pid && pid !== before && pid
      }),
    url: () => hostFile()?.url ?? "",
    post: (path, body = {}) =>
      fetch(`${hostFile()?.url}${path}`, posting(body, {authorization: `Bearer ${daemonToken}`})),
    log: () => project.read(".svc/runtime.log"),
  }
}

/** Returns the command line of a process; empty if it has ended. */
const commandLine = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8")
  } catch {
    return ""
  }
}

/** Returns false for a process that has ended, even if nobody has waited for it. */
export const isRunning = (pid: number): boolean => commandLine(pid) !== ""

/** Returns whether it is a process of this project, and not another one that reuses the pid. */
const isOf = (project: Project, pid: number): boolean => commandLine(pid).includes(project.folder)
