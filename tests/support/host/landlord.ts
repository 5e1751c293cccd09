import {type ChildProcess, spawn} from "node:child_process"
import {createInterface} from "node:readline"
import type {Command, Told} from "./many-hosts.ts"
import {cleanEnvironment, type Finished, type Running} from "./process.ts"
import {root, type TestRuntime} from "./runtimes.ts"
import {whenFailed, whenOver} from "./shared.ts"

interface Tenant {
  readonly env: Readonly<Record<string, string>>
  output: string
  readonly started: PromiseWithResolvers<void>
  readonly finished: PromiseWithResolvers<Finished>
}

/** How many Hosts a process may start: each leaves some memory behind. */
const mostHosts = 50

/** How long a Host may take to start and to stop, in milliseconds: longer than its own limits, on a busy machine. */
const limit = 60_000

/** The process of many Hosts. It ends with the process of the tests. */
class Landlord {
  readonly #tenants = new Map<number, Tenant>()
  readonly #child: ChildProcess
  readonly pid: number
  #last = 0
  #isRetired = false

  constructor({name, command: [program = ""]}: TestRuntime) {
    // Without this flag, Node 22.12 reads no TypeScript.
    const options = "--experimental-strip-types --disable-warning=ExperimentalWarning"
    const env = cleanEnvironment(name === "node22" ? {NODE_OPTIONS: options} : {})
    this.#child = spawn(program, [`${root}tests/support/host/many-hosts.ts`], {env, stdio: ["pipe", "pipe", "inherit"]})
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
    const late = setTimeout(() => {
      this.#hear({host: number, is: "failed", why: "it has not started; a Host that waits needs own: true"})
    }, limit)
    await tenant.started.promise.finally(() => clearTimeout(late))
    return [number, tenant]
  }

  /** Stops one Host. If it does not stop in time, the process ends with all of them. */
  async stop(number: number, {finished}: Tenant): Promise<Finished> {
    if (!this.#tenants.has(number)) return finished.promise
    this.#send({stop: number})
    const late = setTimeout(() => this.#child.kill("SIGKILL"), limit)
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

/** Two processes of each runtime, the last used first: Hosts with other variables that run meanwhile need the other. */
const landlords = new Map<string, readonly Landlord[]>()

/**
 * Starts a Host in a process of many on this runtime: from the source, where a start takes a fifth to a tenth of the
 * processor's time. It has no signals but SIGTERM, no own exit, and no standard output but its log.
 */
export const startTenant = async (
  runtime: TestRuntime,
  project: string,
  env: Readonly<Record<string, string>>,
  watch: boolean,
): Promise<{readonly running: Running; stop(signal: NodeJS.Signals): Promise<Finished>}> => {
  const known = landlords.get(runtime.name) ?? []
  const landlord = known.find(each => each.hasRoomFor(env)) ?? new Landlord(runtime)
  const others = known.filter(each => each !== landlord)
  for (const left of others.splice(1)) left.retire()
  landlords.set(runtime.name, [landlord, ...others])
  const [number, tenant] = await landlord.start(project, env, watch)
  whenOver(() => landlord.stop(number, tenant))
  whenFailed(() => `--- a Host of many in ${project}\n${tenant.output.slice(-4000)}`)
  const noProcess = (): never => {
    throw new Error("this Host shares its process: start it with own: true")
  }
  return {
    running: {
      get child() {
        return noProcess()
      },
      pid: landlord.pid,
      output: () => tenant.output,
      stdout: () => tenant.output,
      finished: tenant.finished.promise,
    },
    stop: signal => (signal === "SIGTERM" ? landlord.stop(number, tenant) : noProcess()),
  }
}
