import {mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync} from "node:fs"
import {tmpdir} from "node:os"
import {dirname, join} from "node:path"
import {setTimeout as sleep} from "node:timers/promises"
import type {Answer} from "../../../shared/api/operations/client.ts"
import {clientAt, type HostClient} from "../../support/host/client.ts"
import {root, type TestRuntime} from "../../support/host/runtimes.ts"
import {type Running, runProcess, startProcess} from "./process.ts"
import {cpuSeconds} from "./process-stat.ts"
import {freePort, waitFor200} from "./ready.ts"

export const token = "5b1f0c92d7e84a36a0c3e19f7d2b6845"

export interface BenchProject {
  readonly folder: string
  write(path: string, text: string): void
  remove(): void
}

/** One plugin with a command and a listener, like a small bot. */
export const greeter = `import {definePlugin, Type} from "svc-runtime"

export default definePlugin({
  config: Type.Object({greeting: Type.String({default: "hello"})}),
  setup(plugin, config) {
    plugin.command("greet <name:string>", {description: "Say hello"}, ({args}) => \`\${config.greeting} \${args.name}\`)
    plugin.on("message-created", async session => {
      if (session.text === "ping") await session.send("pong")
    })
  },
})
`

/** A project in production mode: a token, its own port, SQLite, and these plugins. */
export const configOf = (plugins: string): string => `log_level: warn
http:
  port: \${HTTP_PORT}
  token: \${HTTP_TOKEN}
database:
  dialect: sqlite
  filename: ./data/bot.sqlite
plugins:
${plugins}`

export const makeProject = (plugins: string, sources: Readonly<Record<string, string>>): BenchProject => {
  const folder = mkdtempSync(join(tmpdir(), "svc-bench-"))
  const remove = () => rmSync(folder, {recursive: true, force: true})
  process.on("exit", remove)
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), {recursive: true})
    writeFileSync(join(folder, path), text)
  }
  write("package.json", JSON.stringify({name: "bench-bot", type: "module"}))
  write("svc.config.yml", configOf(plugins))
  for (const [name, source] of Object.entries(sources)) write(`plugins/${name}.ts`, source)
  mkdirSync(join(folder, "node_modules"))
  symlinkSync(root, join(folder, "node_modules/svc-runtime"))
  return {folder, write, remove}
}

/** The smallest bot: one plugin and SQLite. */
export const smallBot = (): BenchProject => makeProject("  greeter: {}\n", {greeter})

export interface BenchHost extends HostClient {
  readonly process: Running
  readonly port: number
  readonly pid: number
  /** The milliseconds from the start of the process to the first 200 of `/pub/ready`. */
  readonly startedIn: number
  /** The processor time until then, in milliseconds: other work on the machine affects it less. */
  readonly startedWith: number
  /** Sends a request with the full token. Throws for an answer other than 2xx. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  stop(): Promise<void>
  end(): Promise<void>
}

/** Starts the shipped Host in production mode, and waits until it is ready. `flags` are the runtime's own. */
export const startHost = async (
  {command: [binary = "", ...launch]}: TestRuntime,
  project: BenchProject,
  flags: readonly string[] = [],
  more: Readonly<Record<string, string>> = {},
): Promise<BenchHost> => {
  const port = await freePort()
  const command = [binary, ...flags, ...launch, "runtime", "start", "--mode", "production", "--no-watch"]
  const begun = performance.now()
  const process = startProcess(command, {
    cwd: project.folder,
    env: {HTTP_PORT: String(port), HTTP_TOKEN: token, ...more},
  })
  const startedIn = (await waitFor200(port, "/pub/ready", process)) - begun
  const client = clientAt(`http://127.0.0.1:${port}`, token)
  return {
    ...client,
    process,
    port,
    pid: process.pid,
    startedIn,
    startedWith: cpuSeconds(process.pid) * 1000,
    fetch: async (path, init = {}) => {
      const response = await client.fetch(path, {...init, headers: {"content-type": "application/json"}})
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
      return response
    },
    stop: () => process.stop(),
    end: async () => {
      await process.stop()
      project.remove()
    },
  }
}

/** The longest wait for endpoints to be online, in milliseconds. */
const patience = 60_000

/** Resolves once a Host has this many endpoints and all of them are online. */
export const untilOnline = async (host: BenchHost, count: number): Promise<void> => {
  const end = performance.now() + patience
  let items: Answer<"GET", "/api/endpoints">["items"] = []
  while (performance.now() < end) {
    items = (await host.get("/api/endpoints")).items
    if (items.length === count && items.every(({state}) => state === "online")) return
    await sleep(25)
  }
  throw new Error(`the endpoints are not online: ${JSON.stringify(items)} ${host.process.output()}`)
}

export const svc = ({command}: TestRuntime, project: BenchProject, args: readonly string[]): Promise<string> =>
  runProcess([...command, ...args], {cwd: project.folder, env: {HTTP_PORT: "0", HTTP_TOKEN: token}})
