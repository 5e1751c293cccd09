import {type ChildProcess, spawn} from "node:child_process"
import {createInterface} from "node:readline"
import {connectTo, type HostOptions, startHost as startInOwnProcess, type TestHost} from "./host.ts"
import type {Command, Told} from "./many-hosts.ts"
import {cleanEnvironment, type Finished} from "./process.ts"
import {makeProject} from "./project.ts"
import {onBun, root, usualRuntime} from "./runtimes.ts"
import {whenFailed, whenOver} from "./shared.ts"

/** A Host in the process of many. */
interface Tenant {
  readonly env: Readonly<Record<string, string>>
  output: string
  readonly started: PromiseWithResolvers<void>
  readonly finished: PromiseWithResolvers<Finished>
}

/** How many Hosts a process may start: each leaves some memory behind. */
const mostHosts = 50

/** How long a Host may take to stop, in milliseconds: longer than its own limit, on a busy machine. */
const stopLimit = 60_000

/** The process of many Hosts. It ends with the process of the tests. */
class Landlord {
  readonly #tenants = new Map<number, Tenant>()
  readonly #child: ChildProcess
  readonly pid: number
  #last = 0
  #isRetired = false

  constructor() {
    const [bun = ""] = onBun.command
    const script = `${root}tests/support/host/many-hosts.ts`
    this.#child = spawn(bun, [script], {env: cleanEnvironment(), stdio: ["pipe", "pipe", "inherit"]})
    this.pid = this.#child.pid ?? 0
    this.#child.unref()
    for (const stream of [this.#child.stdin, this.#child.stdout]) (stream as unknown as {unref?(): void}).unref?.()
    if (this.#child.stdout !== null)
      createInterface({input: this.#child.stdout}).on("line", line => {
        if (line.startsWith('{"host":')) this.#hear(JSON.parse(line) as Told)
      })
    const fail = (why: string) => {
      for (const number of this.#tenants.keys()) this.#hear({host: number, is: "failed", why})
    }
    this.#child.on("exit", (code, signal) => fail(`the process of many Hosts ended: ${code ?? signal}`))
    this.#child.on("error", error => fail(error.message))
    this.#child.stdin?.on("error", () => {})
  }

  /** Whether it takes one more, with these variables. */
  hasRoomFor(env: Readonly<Record<string, string>>): boolean {
    const lives = this.#child.exitCode === null && this.#child.signalCode === null
    return lives && (this.#last < mostHosts || this.#tenants.size > 0) && this.#agree(env)
  }

  async start(project: string, env: Readonly<Record<string, string>>, watch: boolean): Promise<[number, Tenant]> {
    const number = ++this.#last
    const tenant: Tenant = {env, output: "", started: Promise.withResolvers(), finished: Promise.withResolvers()}
    this.#tenants.set(number, tenant)
    this.#send({set: env})
    this.#send({start: number, project, watch})
    await tenant.started.promise
    return [number, tenant]
  }

  /** Stops one Host. If it does not stop in time, the process ends with all of them. */
  async stop(number: number, {finished}: Tenant): Promise<Finished> {
    if (!this.#tenants.has(number)) return finished.promise
    this.#send({stop: number})
    const late = setTimeout(() => this.#child.kill("SIGKILL"), stopLimit)
    return finished.promise.finally(() => clearTimeout(late))
  }

  /** Takes no more, and ends with the last. */
  retire(): void {
    this.#isRetired = true
    if (this.#tenants.size === 0) this.#child.stdin?.end()
  }

  /** The variables of a process are those of all its Hosts. */
  #agree(env: Readonly<Record<string, string>>): boolean {
    return [...this.#tenants.values()].every(other =>
      Object.keys({...env, ...other.env}).every(name => env[name] === other.env[name]),
    )
  }

  #send(command: Command): void {
    this.#child.stdin?.write(`${JSON.stringify(command)}\n`)
  }

  #hear(told: Told): void {
    const tenant = this.#tenants.get(told.host)
    if (tenant === undefined) return
    if (told.is === "log") tenant.output += `${told.line}\n`
    if (told.is === "started") tenant.started.resolve()
    if (told.is === "failed" || told.is === "ended") {
      this.#tenants.delete(told.host)
      if (told.is === "failed") tenant.started.reject(new Error(`the Host ended: ${told.why}\n${tenant.output}`))
      const code = told.is === "failed" ? 1 : told.code
      tenant.finished.resolve({code, signal: null, stdout: tenant.output, stderr: ""})
      if (this.#tenants.size > 0) return
      this.#send({set: Object.fromEntries(Object.keys(tenant.env).map(name => [name, null]))})
      if (this.#isRetired) this.retire()
    }
  }
}

let landlord: Landlord | undefined

/**
 * Like `startHost`, for tests that are not about the process: the Host shares one with others, where a start takes a
 * fifth of the processor's time. It has no signals but SIGTERM, no own exit, and no standard output but its log. A Host
 * on Node, or with other arguments than `--no-watch`, gets its own process.
 */
export const startHost = async (options: HostOptions = {}): Promise<TestHost> => {
  const {runtime = usualRuntime, args = [], env = {}} = options
  if (runtime !== onBun || args.some(arg => arg !== "--no-watch")) return startInOwnProcess(options)
  if (!landlord?.hasRoomFor(env)) {
    landlord?.retire()
    landlord = new Landlord()
  }
  return startIn(landlord, options, env, args.length === 0)
}

const startIn = async (
  home: Landlord,
  options: HostOptions,
  env: Readonly<Record<string, string>>,
  watch: boolean,
): Promise<TestHost> => {
  const project = options.project ?? makeProject(options)
  const [number, tenant] = await home.start(project.folder, env, watch)
  whenOver(() => home.stop(number, tenant))
  whenFailed(() => `--- a Host of many in ${project.folder}\n${tenant.output.slice(-4000)}`)
  const noProcess = (): never => {
    throw new Error("this Host shares its process: use startHost of support/host/host.ts")
  }
  return connectTo(
    project,
    {
      get child() {
        return noProcess()
      },
      pid: home.pid,
      output: () => tenant.output,
      stdout: () => tenant.output,
      finished: tenant.finished.promise,
    },
    env,
    signal => (signal === "SIGTERM" ? home.stop(number, tenant) : noProcess()),
  )
}
