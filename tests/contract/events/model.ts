import {copyFileSync, existsSync, mkdtempSync, rmSync} from "node:fs"
import {tmpdir} from "node:os"
import {join} from "node:path"
import {type Database, openDatabase} from "../../../server/database/database.ts"
import {Envelopes} from "../../../server/events/envelope.ts"
import {EventLog} from "../../../server/events/log.ts"
import {EventRetention} from "../../../server/events/retention.ts"
import {EventStream} from "../../../server/events/stream.ts"
import {tellingAll, toRow} from "../../../server/events/telling.ts"
import {log} from "../../support/database/databases.ts"
import {Chance} from "../../support/machine/chance.ts"
import {type Entry, ModelClient, type Truth} from "./client.ts"

export interface Tally {
  episodes: number
  events: number
  received: number
  resumed: number
  /** Slow clients that the Host disconnected. */
  cuts: number
  restarts: number
  kills: number
  restores: number
  evictions: number
  readonly gaps: Record<string, number>
}

/** The number of episodes that share one history. */
const episodesOfWorld = 50

interface Served {
  readonly database: Database
  readonly events: EventLog
  readonly stream: EventStream
}

const serve = async (file: string, epoch: string): Promise<Served> => {
  const signal = new AbortController().signal
  const database = await openDatabase({dialect: "sqlite", file}, {runtimeId: "model", signal, onLeaseLost: () => {}})
  const events = new EventLog(database, log)
  await events.start()
  const envelopes = new Envelopes({epoch, project: "model", hide: text => text})
  return {database, events, stream: new EventStream({database, events, envelopes, epoch, log})}
}

/** One history: the stored events, and the clients that follow it throughout. */
class World {
  readonly clients = [undefined, "a", undefined].map(endpoint => new ModelClient(endpoint))
  readonly #chance: Chance
  readonly #tally: Tally
  readonly #folder: string
  #files = 0
  #file: string
  #epoch: string
  #served: Served
  #entries: Entry[] = []
  #n = 0
  #copy: {readonly file: string; readonly entries: readonly Entry[]} | undefined

  private constructor(chance: Chance, tally: Tally, folder: string, file: string, epoch: string, served: Served) {
    this.#chance = chance
    this.#tally = tally
    this.#folder = folder
    this.#file = file
    this.#epoch = epoch
    this.#served = served
  }

  /** Makes a world in memory if there is a folder for that: these tests do not test the disk. */
  static async make(chance: Chance, tally: Tally): Promise<World> {
    const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "svc-events-"))
    const file = join(folder, "first.sqlite")
    const epoch = mint(chance)
    return new World(chance, tally, folder, file, epoch, await serve(file, epoch))
  }

  get #truth(): Truth {
    return {epoch: this.#epoch, entries: this.#entries, evictedTo: this.#served.events.evictedTo}
  }

  async episode(): Promise<void> {
    for (let steps = 3 + this.#chance.below(6); steps > 0; steps--) {
      await this.#step()
      await this.#check()
    }
    await this.#settle()
    this.#tally.episodes++
  }

  async close(): Promise<void> {
    for (const client of this.clients) {
      await client.disconnect()
      this.#tally.received += client.received
      this.#tally.resumed += client.resumed
      this.#tally.cuts += client.cuts
      for (const reason of client.gaps) this.#tally.gaps[reason] = (this.#tally.gaps[reason] ?? 0) + 1
    }
    await this.#served.stream.end()
    await this.#served.database.close()
    rmSync(this.#folder, {recursive: true, force: true})
  }

  async #step(): Promise<void> {
    const chance = this.#chance
    const client = chance.pick(this.clients)
    switch (chance.below(12)) {
      case 0:
        return this.#restart()
      case 1:
        return this.#kill()
      case 2:
        return this.#evict()
      case 3:
        return chance.below(3) === 0 ? this.#restore() : this.#keep()
      case 4:
        return chance.below(6) === 0 ? this.#burst() : this.#publish(1 + chance.below(300))
      case 5:
      case 6:
        return client.isConnected ? client.disconnect() : client.connect(this.#served.stream)
      case 7: {
        // The client reads while events are stored.
        const stored = this.#publish(1 + chance.below(40))
        const breaksOff = chance.below(2) === 0
        await client.read(4, breaksOff ? chance.next() : 1)
        if (breaksOff) await client.disconnect()
        return stored
      }
      case 8: {
        await client.read(1 + chance.below(3), chance.next())
        return client.disconnect()
      }
      case 9:
        return client.read(1 + chance.below(5))
      default:
        return this.#publish(1 + chance.below(8))
    }
  }

  /** Stores many events or large ones: a client that does not read falls behind. */
  #burst(): Promise<void> {
    return this.#chance.below(4) === 0 ? this.#publish(1500) : this.#publish(160, 8000)
  }

  async #publish(count: number, size = this.#chance.below(40)): Promise<void> {
    const reason = "x".repeat(size)
    const rows = Array.from({length: count}, () =>
      toRow("host.stopping", {code: ++this.#n, reason}, {endpoint: this.#chance.pick(["a", "b"])}),
    )
    this.#tally.events += count
    await this.#served.database.write([tellingAll(rows)])
  }

  async #note(): Promise<void> {
    const rows = await this.#served.database.read(
      "SELECT offset, endpoint, data ->> 'code' AS n FROM events WHERE offset > ? ORDER BY offset",
      [this.#entries.at(-1)?.offset ?? 0],
    )
    for (const {offset, n, endpoint} of rows)
      this.#entries.push({offset: Number(offset), n: Number(n), endpoint: String(endpoint)})
  }

  async #check(): Promise<void> {
    await this.#note()
    for (const client of this.clients) client.check(this.#truth)
  }

  /** Ends everything in order, and starts again after `between`, when nobody has the database open. */
  async #restart(between = () => {}): Promise<void> {
    this.#tally.restarts++
    await this.#served.stream.end()
    for (const client of this.clients) await client.read(1000)
    await this.#check()
    await this.#served.database.close()
    for (const client of this.clients) await client.disconnect()
    between()
    this.#served = await serve(this.#file, this.#epoch)
  }

  /** Cuts off everything in transit on both sides; batches that reached the disk stay. */
  async #kill(): Promise<void> {
    this.#tally.kills++
    const lost = this.#publish(1 + this.#chance.below(20))
    await Promise.all(this.clients.map(client => client.read(this.#chance.below(3), this.#chance.next())))
    await Promise.all(this.clients.map(client => client.disconnect()))
    await lost
    await this.#check()
    await this.#served.database.close()
    this.#served = await serve(this.#file, this.#epoch)
  }

  async #evict(): Promise<void> {
    this.#tally.evictions++
    const {database, events} = this.#served
    const limits = {events: 1 + this.#chance.below(100), bytes: 1e12, age: 1e12}
    await new EventRetention(database, events, log, () => limits).sweep()
  }

  #keep(): Promise<void> {
    return this.#restart(() => {
      const file = join(this.#folder, `copy-${++this.#files}.sqlite`)
      copyFileSync(this.#file, file)
      this.#copy = {file, entries: [...this.#entries]}
    })
  }

  /** Restores an older state under a new epoch: offsets that clients know then belong to other events. */
  async #restore(): Promise<void> {
    const copy = this.#copy
    if (copy === undefined) return
    this.#tally.restores++
    await this.#restart(() => {
      this.#file = join(this.#folder, `restored-${++this.#files}.sqlite`)
      copyFileSync(copy.file, this.#file)
      this.#entries = [...copy.entries]
      this.#epoch = mint(this.#chance)
    })
  }

  /** Waits until every client has reached the end and has received, or was told of, every event. */
  async #settle(): Promise<void> {
    for (const client of this.clients) {
      for (let rounds = 0; !client.isWhole(this.#truth); rounds++) {
        if (rounds > 2000) throw new Error("a client does not reach the end")
        if (!client.isConnected) client.connect(this.#served.stream)
        await client.read(50)
        await this.#check()
      }
    }
  }
}

const mint = (chance: Chance) => Array.from({length: 12}, () => "0123456789abcdef"[chance.below(16)]).join("")

/** Runs `episodes` episodes from a seed. Throws at the first view that differs from the log, with the seed. */
export const runEpisodes = async (seed: number, episodes: number): Promise<Tally> => {
  const tally: Tally = {
    episodes: 0,
    events: 0,
    received: 0,
    resumed: 0,
    cuts: 0,
    restarts: 0,
    kills: 0,
    restores: 0,
    evictions: 0,
    gaps: {},
  }
  for (let worlds = 0; tally.episodes < episodes; worlds++) {
    const world = await World.make(new Chance(seed + worlds), tally)
    const until = Math.min(episodes, tally.episodes + episodesOfWorld)
    try {
      while (tally.episodes < until) await world.episode()
    } catch (cause) {
      throw new Error(
        `bun run faults stream-model --rounds ${episodesOfWorld} --seed ${seed + worlds}, episode ${tally.episodes % episodesOfWorld}: ${String(cause)}`,
        {cause},
      )
    } finally {
      await world.close()
    }
  }
  return tally
}
