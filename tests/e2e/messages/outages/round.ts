import {cpSync, mkdtempSync, rmSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {setTimeout as sleep} from "node:timers/promises"
import {openDatabase} from "../../../../server/database/database.ts"
import type {Host} from "../../../../server/host/host.ts"
import {start} from "../../../../server/host/start.ts"
import {createLogs} from "../../../../server/logs/log.ts"
import type {BuiltIns} from "../../../../server/plugins/load.ts"
import {adoptDatabase} from "../../../../server/recovery/restore/adopt.ts"
import type {Clock} from "../../../../server/runtime/flow/clock.ts"
import {loadRuntime} from "../../../../server/runtime/load-runtime.ts"
import {uuid} from "../../../../server/runtime/uuid.ts"
import {TestClock} from "../../../../server/testing/clock.ts"
import {adoptTables} from "../../../../server/workroom/checkpoint.ts"
import {exit} from "../../../../shared/exit.ts"
import {definePlugin, type Plugin} from "../../../../shared/sdk/sdk.ts"
import {memoryFolder} from "../../../support/database/databases.ts"
import {Chance} from "../../../support/machine/chance.ts"
import {Book, type Said} from "./book.ts"
import {kinds, type Life, Platform} from "./platforms.ts"

const minute = 60_000
const hour = 60 * minute
export const firstDay = Date.parse("2026-11-29T12:00:00Z")

/** A clock that the test moves, and that an operator may set: waits do not notice. */
export class RoundClock implements Clock {
  readonly longestWait = hour
  readonly togetherFor = 0
  readonly time = new TestClock(firstDay)
  #ahead = 0

  now = () => this.time.now() + this.#ahead
  elapsed = () => this.time.elapsed()
  wait = (milliseconds: number, wake: () => void) => this.time.wait(milliseconds, wake)

  set(by: number): void {
    this.#ahead += by
  }
}

const databaseFile = ".svc/data.sqlite"

const config = JSON.stringify({
  http: {port: 0},
  inbox: {maxAge: {commands: "1h"}},
  plugins: Object.fromEntries([
    ["bot", {}],
    ...kinds.map(({name, maxAge}) => [name, maxAge === undefined ? {} : {outbox: {maxAge: `${maxAge / hour}h`}}]),
  ]),
})

/** A project whose Host has started and stopped once. */
export const makeTemplate = async (): Promise<string> => {
  const folder = mkdtempSync(join(memoryFolder(), "outages-"))
  writeFileSync(join(folder, "package.json"), JSON.stringify({name: "outages"}))
  writeFileSync(join(folder, "svc.config.yml"), config)
  const round = new Round(0, folder, new RoundClock())
  await round.open()
  await round.stop()
  return round.folder
}

/** One round: people speak, the bot is away and comes back, and a judge looks at all of it. */
export class Round {
  readonly book = new Book()
  readonly #chance: Chance
  readonly #clock: RoundClock
  readonly #platforms: readonly Platform[]
  folder: string
  #checkpoint: {readonly folder: string; readonly era: number} | undefined
  #lives = 0
  #sent = 0
  #running: {readonly host: Host; readonly life: Life; readonly bot: Plugin; readonly end: () => void} | undefined

  constructor(seed: number, template: string, clock: RoundClock) {
    this.#chance = new Chance(seed)
    this.#clock = clock
    this.#platforms = kinds.map(kind => new Platform(kind, clock, this.book))
    this.folder = this.#copy(template)
  }

  /** Resolves to what happened, by name. The faults are in the book. */
  async run(): Promise<Readonly<Record<string, number>>> {
    await this.open()
    for (let outages = 1 + this.#chance.below(2); outages > 0; outages--) {
      await this.#live()
      await this.#outage()
    }
    await this.#pass(this.#chance.below(10) * minute)
    if (this.#chance.below(2) === 0) await this.#release()
    // Longer than a timer or a retry waits.
    await this.#pass(3 * hour)
    const {host} = this.#alive()
    const tally = await this.book.judge(host.database, this.#clock.now())
    await this.stop()
    this.#remove(this.folder)
    if (this.#checkpoint !== undefined) this.#remove(this.#checkpoint.folder)
    return tally
  }

  #alive() {
    if (this.#running === undefined) throw new Error("no Host runs")
    return this.#running
  }

  async open(): Promise<void> {
    const over = Promise.withResolvers<never>()
    over.promise.catch(() => {})
    const life: Life = {number: this.#lives++, isDead: false, isStuck: false, over: over.promise}
    let bot: Plugin | undefined
    const plugins: BuiltIns = {
      bot: async () => ({
        default: this.#botOf(life, plugin => {
          bot = plugin
        }),
        edition: 0,
      }),
      ...Object.fromEntries(
        this.#platforms.map(each => [each.kind.name, async () => ({default: each.adapter(life), edition: 0})]),
      ),
    }
    const host = await start(
      {
        project: this.folder,
        mode: "test",
        watch: false,
        command: "outages",
        supervisor: () => "none",
        logs: createLogs({level: "error", format: "pretty", colors: false, write: () => {}}),
        plugins,
        clock: this.#clock,
        isScratch: true,
        signal: new AbortController().signal,
      },
      await loadRuntime(),
    )
    if (bot === undefined) throw new Error("the bot was not set up")
    this.#running = {host, life, bot, end: () => over.reject(new Error("the process is dead"))}
    await this.#settle()
  }

  async stop(): Promise<void> {
    await this.#alive().host.stop({code: exit.ok, reason: "an outage"})
    this.#running = undefined
  }

  /**
   * The next life has a copy of the state, as after `kill -9`. Until that is made, platforms hear nothing, and no handler
   * ends.
   */
  async #kill(): Promise<void> {
    const {host, life, end} = this.#alive()
    const left = this.folder
    life.isDead = true
    this.folder = await this.#snapshot()
    this.book.killed.add(life.number)
    this.#running = undefined
    end()
    await host.stop({code: exit.failed, reason: "it is dead"})
    for (const each of this.#platforms) each.drop()
    this.#remove(left)
  }

  async #keep(): Promise<void> {
    this.#checkpoint = {folder: await this.#snapshot(), era: ++this.book.era}
  }

  /** Copies the state of a running Host. SQLite would lose its locks on a file that this process copies itself. */
  async #snapshot(): Promise<string> {
    const folder = this.#copy(this.folder, path => !path.includes("data.sqlite"))
    await this.#alive().host.database.snapshotTo(join(folder, databaseFile))
    return folder
  }

  #copy(from: string, isWanted = (_: string) => true): string {
    const to = mkdtempSync(join(memoryFolder(), "outages-"))
    cpSync(from, to, {recursive: true, filter: path => !path.includes("lock") && isWanted(path)})
    return to
  }

  #remove(folder: string): void {
    rmSync(folder, {recursive: true, force: true})
  }

  #botOf(life: Life, take: (plugin: Plugin) => void) {
    const act = async (what: string, n: number) => {
      if (life.isDead) return life.over
      this.book.act(what, n, this.#clock.now(), life.number)
      return life.isStuck && this.#chance.below(2) === 0 ? life.over : `${what} ${n}`
    }
    return definePlugin({
      setup: plugin => {
        take(plugin)
        plugin.command("open <n>", ({args}) => act("open", Number(args.n)))
        plugin.command("quick <n>", {maxAge: "2m"}, ({args}) => act("quick", Number(args.n)))
        plugin.command("slow <n>", {maxAge: "never"}, ({args}) => act("slow", Number(args.n)))
        plugin.on("message-created", ({text}) => act("heard", Number(text.split(" ")[1])))
        plugin.timer("rang", {maxLate: "10m"}, (_, n) => act("rang", Number(n)))
        plugin.timer("late", (_, n) => act("late", Number(n)))
      },
    })
  }

  /** People speak, timers are set and messages sent, for some minutes. */
  async #live(): Promise<void> {
    for (let steps = 2 + this.#chance.below(4); steps > 0; steps--) {
      this.#speak(1 + this.#chance.below(3))
      if (this.#chance.below(2) === 0) await this.#send()
      if (this.#chance.below(2) === 0) await this.#setTimer()
      if (this.#chance.below(3) === 0) await this.#jump()
      if (this.#chance.below(4) > 0) await this.#settle()
      if (this.#checkpoint === undefined && this.#chance.below(6) === 0) await this.#keep()
      await this.#pass(this.#chance.below(12) * 20_000)
    }
  }

  #speak(count: number): void {
    for (let left = count; left > 0; left--) {
      const n = this.book.said.length
      const place = this.#chance.pick(this.#platforms)
      const what = this.#chance.pick(["open", "open", "quick", "slow", "heard"])
      const handlers = what === "heard" ? [what] : [what, "heard"]
      const channel = this.#chance.pick(["room", "hall"])
      const said: Said = {n, place, channel, eventId: `e${n}`, handlers, since: Infinity, isDue: false}
      this.book.said.push(said)
      place.say(said)
    }
  }

  async #send(): Promise<void> {
    const n = this.#sent++
    const place = this.#chance.pick(this.#platforms)
    const text = `news ${n}`
    const at = this.#clock.now()
    const wait = this.#chance.pick([0, 5 * minute, 2 * hour, 48 * hour])
    const notAfter = wait === 0 ? undefined : at + wait
    const target = {endpoint: place.endpoint, channel: this.#chance.pick(["room", "hall"])}
    const id = await this.#alive().bot.send(target, text, notAfter === undefined ? {} : {notAfter})
    this.book.sends.set(id, {text, place, at, notAfter, era: this.book.era})
  }

  async #setTimer(): Promise<void> {
    const n = this.book.said.length
    const place = this.#chance.pick(this.#platforms)
    const what = this.#chance.pick(["rang", "late"])
    const since = this.#clock.now() + this.#chance.below(120) * minute
    const entry = {n, place, channel: "room", handlers: [what], since, era: this.book.era, isDue: true}
    this.book.said.push({...entry, eventId: ""})
    const at = {at: since, target: {endpoint: place.endpoint, channel: "room"}}
    const id = await this.#alive().bot.setTimer(what, at, n)
    this.book.said[n] = {...entry, eventId: `timer:${id}@${since}`}
  }

  /** An operator sets the clock. What is being sent then has begun before. */
  async #jump(): Promise<void> {
    const outbox = this.#running?.host.outbox
    while (outbox?.isQuiet === false) await outbox.settled()
    const by = this.#chance.pick([-1, 1]) * this.#chance.below(8 * 60) * minute
    const at = this.#clock.now()
    this.#clock.set(by)
    this.book.jumped(at, this.#clock.now())
  }

  async #outage(): Promise<void> {
    this.book.absences++
    const is = this.#chance.pick(["stop", "kill", "kill", "away", "away and stop", "away and kill"])
    const gone = is.startsWith("away") ? this.#platforms.filter(() => this.#chance.below(2) === 0) : []
    for (const each of gone) each.goDown()
    if (is.endsWith("kill")) {
      this.#alive().life.isStuck = true
      this.#speak(2 + this.#chance.below(3))
      for (let turns = this.#chance.below(12); turns > 0; turns--) await sleep(0)
      await this.#kill()
    } else if (is.endsWith("stop")) await this.stop()
    // From a minute to three days, the short ones as often as the long ones.
    const length = minute * 4320 ** this.#chance.next()
    for (let parts = 3; parts > 0; parts--) {
      this.#speak(this.#chance.below(4))
      if (this.#running !== undefined && this.#chance.below(2) === 0) await this.#send()
      await this.#pass(length / 3)
    }
    if (this.#chance.below(5) === 0) await this.#jump()
    const isLater = this.#chance.below(2) === 0
    if (!isLater) for (const each of gone) each.goUp()
    if (this.#running === undefined) {
      if (this.#checkpoint !== undefined && this.#chance.below(2) === 0) await this.#restore(this.#checkpoint)
      await this.open()
    }
    if (isLater) {
      await this.#pass(this.#chance.below(90) * minute)
      for (const each of gone) each.goUp()
    }
    await this.#settle()
  }

  /** The database is as it was at the checkpoint, and the Host's restore adopts it. */
  async #restore({folder, era}: {readonly folder: string; readonly era: number}): Promise<void> {
    const options = {runtimeId: uuid(), signal: new AbortController().signal, onLeaseLost: () => {}, isScratch: true}
    const openAt = (place: string) => openDatabase({dialect: "sqlite", file: join(place, databaseFile)}, options)
    const [restored, replaced] = [await openAt(folder), await openAt(this.folder)]
    const [row] = await restored.read("SELECT value FROM svc_meta WHERE key = 'authority'")
    const adoption = {authority: uuid(), at: this.#clock.now(), checkpoint: "earlier", from: String(row?.value)}
    await adoptDatabase(restored, adoption, replaced)
    await adoptTables(restored, adoption.authority, new Date(adoption.at).toISOString())
    writeFileSync(join(folder, ".svc/authority.json"), JSON.stringify({authority: adoption.authority}))
    await restored.close()
    await replaced.close()
    this.#remove(this.folder)
    this.folder = folder
    this.#checkpoint = undefined
    this.book.absences++
    this.book.restored(era, said => this.#platforms.some(each => each.keeps(said)))
  }

  /** A person has everything run that is held, and sent that may have arrived. */
  async #release(): Promise<void> {
    const {host} = this.#alive()
    const held = await host.database.read(
      "SELECT i.event_id AS id FROM inbox_marks m JOIN inbox i USING (seq) WHERE m.state = 'held'",
    )
    for (const {id} of held)
      for (const {n, eventId} of this.book.said) if (eventId === id) this.book.released.add(`${n}`)
    const messages = await host.database.read("SELECT content FROM outbox WHERE state IN ('held', 'unknown')")
    for (const {content} of messages) this.book.released.add(JSON.parse(String(content))[0])
    const timers = await host.database.read("SELECT data FROM timers WHERE state = 'held'")
    for (const {data} of timers) this.book.released.add(String(data))
    await host.inbox.act("release", "held")
    await host.outbox.act("release", "held")
  }

  async #pass(milliseconds: number): Promise<void> {
    await this.#clock.time.moveTo(this.#clock.time.now() + Math.round(milliseconds), () => this.#settle())
    await this.#settle()
  }

  /** Resolves once nothing moves before the clock does. */
  async #settle(): Promise<void> {
    const running = this.#running
    if (running === undefined) return
    const {host} = running
    for (const end = performance.now() + 30_000; performance.now() < end; await sleep(1)) {
      await host.settled()
      if (host.isQuiet() && !this.#clock.time.isWaking && this.#platforms.every(({isQuiet}) => isQuiet)) return
    }
    throw new Error("the Host is not quiet")
  }
}
