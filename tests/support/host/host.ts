import {existsSync, readFileSync} from "node:fs"
import {setTimeout as sleep} from "node:timers/promises"
import {expect} from "vitest"
import {messageIn} from "../messages/messages.ts"
import {clientAt} from "./client.ts"
import {eventOf} from "./inbox-event.ts"
import {startTenant} from "./landlord.ts"
import {type Finished, type Running, startProcess, until} from "./process.ts"
import {makeProject, type Project, type ProjectOptions} from "./project.ts"
import {runtimes, type TestRuntime, usualRuntime} from "./runtimes.ts"
import type {TestHost} from "./test-host.ts"

// What most tests with a Host need besides it.
export * from "../checkpoint/checkpoints.ts"
export * from "../machine/chance.ts"
export * from "../machine/ports.ts"
export * from "../messages/gaps.ts"
export * from "../messages/inbox.ts"
export * from "../messages/messages.ts"
export * from "../platforms/endpoint.ts"
export * from "../plugins/plugin-sources.ts"
export * from "./client.ts"
export * from "./command-line.ts"
export * from "./generation.ts"
export * from "./inbox-event.ts"
export * from "./problems-in.ts"
export * from "./process.ts"
export * from "./project.ts"
export * from "./runtimes.ts"
export * from "./shared.ts"
export * from "./test-host.ts"
export * from "./tokens.ts"

/** Marks the ten end-to-end tests of the README's story. `bun run test:quick` runs only them. */
export const story = {tags: ["story"]}

export interface HostOptions extends ProjectOptions {
  readonly runtime?: TestRuntime
  readonly project?: Project
  readonly args?: readonly string[]
  /** Whether it runs in its own process, from the shipped bundle: for tests that kill it, or are about the process. */
  readonly own?: boolean
  readonly env?: Readonly<Record<string, string>>
  /** The time limit until the Host serves, in milliseconds. */
  readonly patience?: number
}

interface HostFile {
  readonly url: string
  readonly pid: number
  readonly runtimeId: string
  readonly token?: string
}

export const launchHost = ({
  runtime = usualRuntime,
  args = [],
  env = {},
  ...options
}: HostOptions): {project: Project; process: Running} => {
  const project = options.project ?? makeProject(options)
  const running = startProcess([...runtime.command, "runtime", "start", ...args], {cwd: project.folder, env})
  return {project, process: running}
}

/** Starts a Host and kills it after this many milliseconds, wherever it is in its start. */
export const killStarting = async (options: HostOptions, after: number): Promise<void> => {
  const {process: starting} = launchHost(options)
  await sleep(after)
  starting.child.kill("SIGKILL")
  await starting.finished
}

/** Other arguments, and variables that the runtime itself reads at the start, need a process. */
const needsProcess = ({args = [], env = {}, runtime = usualRuntime}: HostOptions): boolean =>
  !runtimes.includes(runtime) ||
  args.some(arg => arg !== "--no-watch") ||
  Object.keys(env).some(name => name.startsWith("NODE_"))

/** Starts a Host and waits until it serves; it shares its process unless `own`. If it exits, fails with its output. */
export const startHost = async (options: HostOptions = {}): Promise<TestHost> => {
  const {runtime = usualRuntime, args = [], env = {}, own = false} = options
  if (own || needsProcess(options)) return startAlone(options)
  const project = options.project ?? makeProject(options)
  const {running, stop} = await startTenant(runtime, project.folder, env, args.length === 0)
  return connectTo(project, running, env, stop)
}

const startAlone = async (options: HostOptions): Promise<TestHost> => {
  const {project, process: running} = launchHost(options)
  let ended = false
  void running.finished.then(() => {
    ended = true
  })
  await until(
    "the Host to serve",
    () => {
      if (ended) throw new Error(`the Host ended: ${running.output()}`)
      return readHostFile(project, running.pid)
    },
    options.patience,
  ).catch(error => {
    throw new Error(`${error.message}\n${running.output()}`)
  })
  return connectTo(project, running, options.env, signal => {
    running.child.kill(signal)
    return running.finished
  })
}

const connectTo = (
  project: Project,
  running: Running,
  env: HostOptions["env"],
  stop: (signal: NodeJS.Signals) => Promise<Finished>,
): TestHost => {
  const file = readHostFile(project, running.pid)
  if (file === undefined) throw new Error(`the Host does not serve: ${running.output()}`)
  const token = file.token ?? env?.HTTP_TOKEN ?? ""
  const client = clientAt(file.url, token)
  return {
    project,
    process: running,
    url: file.url,
    token,
    runtimeId: file.runtimeId,
    ...client,
    say: async (text, how = {}) => {
      const {sn} = await client.plugin<{sn: number}>("/api/plugins/sandbox/messages", {text, ...how})
      return repliesTo(client, sn)
    },
    stop: (signal = "SIGTERM") => stop(signal),
  }
}

/** Waits until a Host is ready: it serves before its endpoints are there. */
export const untilReady = async (host: TestHost): Promise<TestHost> => {
  await until("the Host to be ready", async () => (await fetch(new URL("/pub/ready", host.url))).status === 200)
  return host
}

const readHostFile = (project: Project, pid: number): HostFile | undefined => {
  const path = project.path(".svc/host.json")
  if (!existsSync(path)) return undefined
  try {
    const file = JSON.parse(readFileSync(path, "utf8")) as HostFile
    return file.pid === pid ? file : undefined
  } catch {
    return undefined
  }
}

const repliesTo = async (host: Pick<TestHost, "get">, seq: number): Promise<readonly string[]> => {
  const {replies} = await eventOf(host, seq)
  return Promise.all(replies.map(async id => (await messageIn(host, id, "sent")).text))
}

export const expectProblem = async (
  response: Response,
  status: number,
  code: string,
): Promise<Record<string, unknown>> => {
  const body = (await response.json()) as Record<string, unknown>
  expect({status: response.status, type: response.headers.get("content-type"), code: body.code}).toEqual({
    status,
    type: "application/problem+json",
    code,
  })
  return body
}
