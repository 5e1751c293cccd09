import {spawnSync} from "node:child_process"
import {mkdtempSync, rmSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {openDatabase} from "../../../../server/database/database.ts"
import type {Host} from "../../../../server/host/open/host.ts"
import {start} from "../../../../server/host/start.ts"
import {adoptDatabase} from "../../../../server/recovery/restore/adopt.ts"
import {loadRuntime} from "../../../../server/runtime/engines/load-runtime.ts"
import type {Clock} from "../../../../server/runtime/flow/clock.ts"
import {TestClock} from "../../../../server/runtime/flow/test-clock.ts"
import {createLogs} from "../../../../server/runtime/logs/log.ts"
import {uuid} from "../../../../server/runtime/uuid.ts"
import {adoptTables} from "../../../../server/workroom/checkpoint.ts"
import {exit} from "../../../../shared/exit.ts"
import type {definePlugin} from "../../../../shared/sdk/sdk.ts"
import {memoryFolder} from "../../../support/database/databases.ts"
import {type Kind, kinds, type Life} from "./platforms.ts"

const hour = 3_600_000

/** A clock that the test moves, and that an operator may set: waits do not notice. */
export class RoundClock implements Clock {
  readonly longestWait = hour
  readonly togetherFor = 0
  readonly time = new TestClock(Date.parse("2026-11-29T12:00:00Z"))
  ahead = 0

  now = () => this.time.now() + this.ahead
  elapsed = () => this.time.elapsed()
  wait = (milliseconds: number, wake: () => void) => this.time.wait(milliseconds, wake)
}

const settingsOf = ({maxAge}: Kind) => (maxAge === undefined ? {} : {outbox: {maxAge: `${maxAge / hour}h`}})
const config = JSON.stringify({
  http: {port: 0},
  inbox: {maxAge: {commands: "1h"}},
  plugins: {bot: {}, ...Object.fromEntries(kinds.map(kind => [kind.endpoint, settingsOf(kind)]))},
})

export const makeProject = (): string => {
  const folder = memoryFolder()
  writeFileSync(join(folder, "package.json"), JSON.stringify({name: "outages"}))
  writeFileSync(join(folder, "svc.config.yml"), config)
  return folder
}

type Plugins = Readonly<Record<string, ReturnType<typeof definePlugin>>>

/** A project whose Hosts run in this process, one after another, each as if in its own process. */
export class Bot {
  folder: string
  readonly #clock: Clock
  readonly #pluginsOf: (life: Life) => Plugins
  readonly #copies: string
  #lives = 0
  #running: {readonly host: Host; readonly life: Life; readonly end: () => void} | undefined

  /** Begins with a copy of `template`. */
  constructor(template: string, clock: Clock, pluginsOf: (life: Life) => Plugins) {
    this.#copies = mkdtempSync(`${template}-`)
    this.#clock = clock
    this.#pluginsOf = pluginsOf
    this.folder = this.copy(template)
  }

  get isRunning(): boolean {
    return this.#running !== undefined
  }

  get running() {
    if (this.#running === undefined) throw new Error("no Host runs")
    return this.#running
  }

  async start(): Promise<Host> {
    const over = Promise.withResolvers<never>()
    over.promise.catch(() => {})
    const life: Life = {number: this.#lives++, isDead: false, isStuck: false, over: over.promise}
    const plugins = Object.entries(this.#pluginsOf(life))
    const options = {
      project: this.folder,
      mode: "test",
      watch: false,
      command: "outages",
      supervisor: () => "none",
      logs: createLogs({level: "error", format: "pretty", colors: false, write: () => {}}),
      plugins: Object.fromEntries(plugins.map(([name, plugin]) => [name, async () => ({default: plugin, edition: 0})])),
      clock: this.#clock,
      isScratch: true,
      signal: new AbortController().signal,
    } as const
    const host = await start(options, await loadRuntime())
    this.#running = {host, life, end: () => over.reject(new Error("the process is dead"))}
    return host
  }

  async stop(): Promise<void> {
    await this.running.host.stop({code: exit.ok, reason: "an outage"})
    this.#running = undefined
  }

  /** As `kill -9`: platforms hear nothing any more, no handler ends, and the next Host has the files of this moment. */
  async kill(): Promise<number> {
    const {host, life, end} = this.running
    life.isDead = true
    this.folder = this.copy()
    this.#running = undefined
    end()
    await host.stop({code: exit.failed, reason: "it is dead"})
    return life.number
  }

  /** Copies one moment: only this thread writes. Another process reads, because closing a file drops SQLite's locks. */
  copy(from = this.folder): string {
    const to = mkdtempSync(`${this.#copies}/`)
    const {status} = spawnSync("cp", ["-r", `${from}/.`, to])
    if (status !== 0) throw new Error(`${from} was not copied`)
    return to
  }

  remove(): void {
    rmSync(this.#copies, {recursive: true, force: true})
  }

  /** The database of a stopped Host is as it was at the checkpoint, and the Host's restore adopts it. */
  async restore(checkpoint: string): Promise<void> {
    const options = {runtimeId: uuid(), signal: new AbortController().signal, onLeaseLost: () => {}, isScratch: true}
    const openAt = (place: string) => openDatabase({dialect: "sqlite", file: join(place, ".svc/data.sqlite")}, options)
    const [restored, replaced] = [await openAt(checkpoint), await openAt(this.folder)]
    const [row] = await restored.read("SELECT value FROM svc_meta WHERE key = 'authority'")
    const adoption = {authority: uuid(), at: this.#clock.now(), checkpoint: "earlier", from: String(row?.value)}
    await adoptDatabase(restored, adoption, replaced)
    await adoptTables(restored, adoption.authority, new Date(adoption.at).toISOString())
    writeFileSync(join(checkpoint, ".svc/authority.json"), JSON.stringify({authority: adoption.authority}))
    await restored.close()
    await replaced.close()
    this.folder = checkpoint
  }
}
