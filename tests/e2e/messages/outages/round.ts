import {setImmediate as turn} from "node:timers/promises"
import {definePlugin, type Plugin, type TimerHandle} from "../../../../shared/sdk/sdk.ts"
import {Chance, seedOf} from "../../../support/machine/chance.ts"
import {Book, type Said} from "./book.ts"
import {Bot, makeProject, type RoundClock} from "./bot.ts"
import {kinds, type Life, Platform} from "./platforms.ts"

const minute = 60_000
const hour = 60 * minute

const ways = ["stop", "kill", "away", "away and stop", "away and kill"] as const

/** The lengths of outages: to 16 minutes, to 4 hours, to three days. */
const lengths = ["minutes", "hours", "days"] as const

/** What people wait through at each platform, in 15 rounds with consecutive seeds. */
export const cases: readonly string[] = kinds.flatMap(({endpoint}) =>
  [...ways.flatMap(way => lengths.map(length => `${way} for ${length}`)), "restore", "jump on", "jump back"].map(
    what => `${what} at ${endpoint}`,
  ),
)

/** Returns a project whose Host has started and stopped once. */
export const makeTemplate = async (clock: RoundClock): Promise<string> => {
  const {bot} = new Round(0, makeProject(), clock)
  await bot.start()
  await bot.stop()
  return bot.folder
}

/** One round: people speak, the bot is away and comes back, and a judge looks at all of it. */
export class Round {
  readonly book = new Book()
  readonly bot: Bot
  readonly #seed: number
  readonly #chance: Chance
  readonly #clock: RoundClock
  readonly #platforms: readonly Platform[]
  #plugin: Plugin | undefined
  #timers: readonly TimerHandle[] = []
  #checkpoint: {readonly folder: string; readonly era: number} | undefined
  #sent = 0

  constructor(seed: number, template: string, clock: RoundClock) {
    this.#seed = seed
    this.#chance = new Chance(seed)
    this.#clock = clock
    this.#platforms = kinds.map(kind => new Platform(kind, clock, this.book))
    this.bot = new Bot(template, clock, life => ({
      bot: this.#botOf(life),
      ...Object.fromEntries(this.#platforms.map(each => [each.kind.endpoint, each.adapter(life)])),
    }))
  }

  /** Resolves to what happened, by name. The faults are in the book. */
  async run(): Promise<Readonly<Record<string, number>>> {
    const [way = "stop", length = "days"] = [ways[this.#seed % 5], lengths[Math.floor(this.#seed / 5) % 3]]
    await this.#open()
    await this.#live()
    if (this.#seed % 4 === 0) this.#keep()
    await this.#outage(way, length, true)
    if (this.#chance.below(2) === 0) {
      await this.#live()
      await this.#outage(this.#chance.pick(ways), this.#chance.pick(lengths), false)
    }
    await this.#pass(this.#chance.below(10) * minute)
    if (this.#chance.below(2) === 0) await this.#release()
    // Longer than a timer or a retry waits.
    await this.#pass(3 * hour)
    const tally = await this.book.judge(this.bot.running.host.database, this.#clock.now())
    await this.bot.stop()
    this.bot.remove()
    return tally
  }

  async #open(): Promise<void> {
    const {database, runtimeId} = await this.bot.start()
    const asked = await database.read(
      `SELECT o.endpoint, o.content ->> '$[0]' AS text FROM events e JOIN outbox o ON o.id = e.data ->> '$.message'
       WHERE e.type = 'message.unknown' AND e.context IN (SELECT id FROM event_contexts WHERE runtime_id = ?)`,
      [runtimeId],
    )
    for (const {endpoint, text} of asked) this.book.asked(endpoint, String(text), this.#clock.now())
    await this.#settle()
  }

  #keep(): void {
    this.#checkpoint ??= {folder: this.bot.copy(), era: ++this.book.era}
  }

  #botOf(life: Life) {
    /** Never ends in a dead process, nor in half of the handlers that a kill is about to cut off. */
    const act = async (what: string, n: unknown) => {
      if (life.isDead) return life.over
      this.book.act(what, Number(n), this.#clock.now(), life.number)
      const hangs = life.isStuck && seedOf(this.#seed, `${what} ${n} ${life.number}`) % 2 === 0
      return hangs ? life.over : `${what} ${n}`
    }
    return definePlugin({
      setup: plugin => {
        this.#plugin = plugin
        plugin.command("open <n>", ({args}) => act("open", args.n))
        plugin.command("quick <n>", {maxAge: "2m", order: "user"}, ({args}) => act("quick", args.n))
        plugin.command("slow <n>", {maxAge: "never", order: "none"}, ({args}) => act("slow", args.n))
        plugin.on("message-created", ({text}) => act("heard", text.split(" ")[1]))
        this.#timers = [
          plugin.timer("rang", {maxLate: "10m"}, (_, n) => act("rang", n)),
          plugin.timer("late", (_, n) => act("late", n)),
        ]
      },
    })
  }

  /** People speak, timers are set and messages sent, for some minutes. */
  async #live(): Promise<void> {
    for (let steps = 2 + this.#chance.below(4); steps > 0; steps--) {
      const first = this.book.said.length
      this.#speak(1 + this.#chance.below(3))
      if (this.#chance.below(2) === 0) await this.#send()
      if (this.#chance.below(2) === 0) await this.#setTimer()
      if (this.#chance.below(3) === 0) await this.#jump(first)
      if (this.#chance.below(4) > 0) await this.#settle()
      if (this.#chance.below(6) === 0) this.#keep()
      await this.#pass(this.#chance.below(12) * 20_000)
    }
  }

  #speak(count: number): void {
    for (let left = count; left > 0; left--) this.#speakAt(this.#chance.pick(this.#platforms))
  }

  #speakAt(place: Platform): void {
    const n = this.book.said.length
    const what = this.#chance.pick(["open", "open", "quick", "slow", "heard"])
    const handlers = what === "heard" ? [what] : [what, "heard"]
    const channel = this.#chance.pick(["room", "hall"])
    const said: Said = {n, place: place.kind, channel, eventId: `e${n}`, handlers, since: Infinity, isDue: false}
    this.book.said.push(said)
    place.say(said)
  }

  async #send(): Promise<void> {
    const place = this.#chance.pick(this.#platforms).kind
    const text = `news ${this.#sent++}`
    const at = this.#clock.now()
    const wait = this.#chance.pick([0, 5 * minute, 2 * hour, 48 * hour])
    const notAfter = wait === 0 ? undefined : at + wait
    const target = {endpoint: place.endpoint, channel: this.#chance.pick(["room", "hall"])}
    const id = await this.#plugin?.send(target, text, notAfter === undefined ? {} : {notAfter})
    if (id !== undefined) this.book.sends.set(id, {text, place, at, notAfter, era: this.book.era})
  }

  async #setTimer(): Promise<void> {
    const n = this.book.said.length
    const place = this.#chance.pick(this.#platforms).kind
    const timer = this.#chance.pick(this.#timers)
    const since = this.#clock.now() + this.#chance.below(120) * minute
    const entry = {n, place, channel: "room", handlers: [timer.name], since, era: this.book.era, isDue: true}
    this.book.said.push({...entry, eventId: ""})
    const at = {at: since, target: {endpoint: place.endpoint, channel: "room"}}
    const id = await this.#plugin?.setTimer(timer, at, n)
    this.book.said[n] = {...entry, eventId: `timer:${id}@${since}`}
  }

  /** An operator sets the clock, between two turns of the event loop. `first` was the first that was said before. */
  async #jump(first: number): Promise<void> {
    await turn()
    const by = this.#chance.pick([-1, 1]) * (1 + this.#chance.below(8 * 60)) * minute
    const at = this.#clock.now()
    this.#clock.ahead += by
    this.book.jumped(at, this.#clock.now())
    this.book.passed(by > 0 ? "jump on" : "jump back", this.book.said.slice(first))
  }

  /** The first one of a round concerns every platform. */
  async #outage(way: (typeof ways)[number], length: (typeof lengths)[number], isFirst: boolean): Promise<void> {
    const isRestored = (isFirst ? this.#seed % 4 : this.#chance.below(2)) === 0
    this.book.absences++
    const first = this.book.said.length
    const gone = this.#platforms.filter(() => way.startsWith("away") && (isFirst || this.#chance.below(2) === 0))
    for (const each of gone) each.goDown()
    if (way.endsWith("kill")) {
      this.bot.running.life.isStuck = true
      this.#speak(2 + this.#chance.below(3))
      for (let turns = this.#chance.below(12); turns > 0; turns--) await turn()
      this.book.killed.add(await this.bot.kill())
      for (const each of this.#platforms) each.drop()
    } else if (way.endsWith("stop")) await this.bot.stop()
    // From a minute to three days, the short ones as often as the long ones.
    const time = minute * 4320 ** ((lengths.indexOf(length) + this.#chance.next()) / lengths.length)
    for (const each of this.#platforms) this.#speakAt(each)
    for (let parts = 3; parts > 0; parts--) {
      this.#speak(this.#chance.below(3))
      if (this.bot.isRunning && this.#chance.below(2) === 0) await this.#send()
      await this.#pass(time / 3)
    }
    if (this.#chance.below(5) === 0) await this.#jump(first)
    const isHere = ({place}: Said) => way !== "away" || gone.some(({kind}) => kind === place)
    this.book.passed(`${way} for ${length}`, this.book.said.slice(first).filter(isHere))
    const isLater = this.#chance.below(2) === 0
    if (!isLater) for (const each of gone) each.goUp()
    if (!this.bot.isRunning) {
      if (isRestored && this.#checkpoint !== undefined) {
        await this.bot.restore(this.#checkpoint.folder)
        this.book.restored(this.#checkpoint.era, said => this.#platforms.some(each => each.keeps(said)))
        this.#checkpoint = undefined
      }
      await this.#open()
    }
    if (isLater) {
      await this.#pass(this.#chance.below(90) * minute)
      for (const each of gone) each.goUp()
    }
    await this.#settle()
  }

  /** A person has everything run that is held, and sent that may have arrived. */
  async #release(): Promise<void> {
    const {database, inbox, outbox} = this.bot.running.host
    const rows = await database.read(
      `SELECT i.event_id AS what FROM inbox_marks m JOIN inbox i USING (seq) WHERE m.state = 'held'
       UNION SELECT 'timer:' || id || '@' || due_at FROM timers WHERE state = 'held'
       UNION SELECT content ->> '$[0]' FROM outbox WHERE state IN ('held', 'unknown')`,
    )
    for (const {what} of rows) this.book.released.add(String(what))
    await inbox.act("release", "held")
    await outbox.act("release", "held")
  }

  async #pass(milliseconds: number): Promise<void> {
    const {time} = this.#clock
    await time.moveTo(time.now() + Math.round(milliseconds), () => this.#settle())
    await this.#settle()
  }

  /** Resolves once nothing moves before the clock does. */
  async #settle(): Promise<void> {
    if (!this.bot.isRunning) return
    const {host} = this.bot.running
    for (const end = performance.now() + 30_000; performance.now() < end; await turn()) {
      await host.idle()
      if (host.isIdle() && !this.#clock.time.isWaking && this.#platforms.every(({isIdle}) => isIdle)) return
    }
    throw new Error("the Host is not quiet")
  }
}
