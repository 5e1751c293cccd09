import {setTimeout as sleep, setImmediate as turn} from "node:timers/promises"
import {v7 as uuid} from "uuid"
import {expect} from "vitest"
import type {Endpoint} from "../../server/capabilities/endpoint.ts"
import type {Attempt, Dispatch, Outcome, StoredEvent} from "../../server/capabilities/handling.ts"
import {Inbox} from "../../server/capabilities/inbox.ts"
import type {InboxAction} from "../../server/capabilities/inbox-actions.ts"
import {Outbox} from "../../server/capabilities/outbox.ts"
import type {Database} from "../../server/database/database.ts"
import {recordEnd, recordStart} from "../../server/database/runs.ts"
import {Problem} from "../../shared/problems.ts"
import {Chance, seedOf} from "./chance.ts"
import {type Mark, planOf, Track} from "./inbox-model.ts"
import {lineEndpoint} from "./line-endpoint.ts"
import {type Death, MortalDatabase} from "./mortal-database.ts"
import {log} from "./silence.ts"

/** Tables that a history starts without rows in. */
const tables = ["inbox", "inbox_marks", "outbox", "prompts", "svc_runs", "tally"]

export const prepare = (database: Database): Promise<unknown> =>
  database.migrate(
    [{sql: "CREATE TABLE tally (mark TEXT NOT NULL, text TEXT NOT NULL CHECK (text <> ''))"}],
    new AbortController().signal,
  )

/** One process, from its start to its end. */
interface Life {
  readonly database: MortalDatabase
  readonly inbox: Inbox
  readonly endpoint: Endpoint
  readonly runtimeId: string
  /** Ends what hangs, as the disposal of its plugin would. */
  readonly interrupts: Set<() => void>
  /** What runs now: event ids by conversation. */
  readonly running: Map<string, string[]>
  /** The newest event of each conversation that a handler was given. */
  readonly newest: Map<string, number>
  /** Left by earlier lives, to be handled one at a time; empty where none of them is a suspect. */
  readonly suspects: Set<string>
  isStopping: boolean
}

/** One history: what happens to an inbox, by chance, and whether what it promises held. */
export class History {
  readonly #seed: number
  readonly #chance: Chance
  readonly #database: Database
  readonly #tracks = new Map<string, Track>()
  readonly #acknowledged = new Map<string, number>()
  /** Events that an operator had run again: they stand behind newer ones. */
  readonly #again = new Set<string>()
  #calm = false
  #faults: string[] = []
  #life: Life | undefined

  constructor(seed: number, database: Database) {
    this.#seed = seed
    this.#chance = new Chance(seed)
    this.#database = database
  }

  /** Rejects where a promise did not hold. */
  async run(): Promise<void> {
    await this.#database.write(tables.map(table => ({sql: `DELETE FROM ${table}`})))
    await this.#start()
    const steps = 3 + this.#chance.below(8)
    for (let step = 0; step < steps; step++) {
      await this.#step()
      if (this.#life?.database.isDead === true) await this.#crash()
    }
    await this.#end()
    this.#calm = true
    await this.#start()
    await this.#act("release", "held")
    await this.#settle()
    await this.#check()
    const [copies] = await this.#database.read("SELECT count(*) - count(DISTINCT event_id) AS n FROM inbox")
    expect(copies?.n, "each event is stored once").toBe(0)
    expect(this.#faults).toEqual([])
    const open = await this.#database.read("SELECT * FROM inbox_marks WHERE state IN ('pending', 'running', 'held')")
    expect(open).toEqual([])
    await this.#end()
  }

  async #step(): Promise<void> {
    const {database} = this.#alive()
    switch (
      this.#chance.pick(["receive", "receive", "receive", "receive", "wait", "doom", "crash", "stop", "operator"])
    ) {
      case "receive":
        for (let n = this.#chance.below(4); n >= 0; n--) void this.#receive(`event ${this.#chance.below(12)}`)
        return this.#wait()
      case "wait":
        return this.#wait()
      case "doom":
        return database.doom(this.#chance.below(6), this.#chance.pick<Death>(["before", "after"]))
      case "crash":
        return this.#crash()
      case "stop":
        await this.#end()
        return this.#start()
      case "operator":
        return this.#operate()
    }
  }

  async #wait(): Promise<void> {
    for (let turns = this.#chance.below(12); turns > 0; turns--) await turn()
  }

  #alive(): Life {
    if (this.#life === undefined) throw new Error("no process lives")
    return this.#life
  }

  async #start(): Promise<void> {
    const runtimeId = uuid()
    const database = new MortalDatabase(this.#database)
    await recordStart(this.#database, {runtimeId, startedAt: Date.now(), mode: "test", version: "0", runtime: "test"})
    const inbox = new Inbox(database, new Outbox(database, log), runtimeId, log, {first: 1, longest: 2})
    const endpoint = lineEndpoint(inbox)
    const life: Life = {
      database,
      inbox,
      endpoint,
      runtimeId,
      interrupts: new Set(),
      running: new Map(),
      newest: new Map(),
      suspects: await this.#suspects(),
      isStopping: false,
    }
    this.#life = life
    await inbox.start(this.#dispatch(life))
  }

  /** After a crash: what is found running twice is dead, the rest of the backlog is replayed one at a time. */
  async #suspects(): Promise<Set<string>> {
    const rows = await this.#database.read(`SELECT i.event_id AS id, m.handler, m.state, m.crashes,
      m.state = 'running' AND r.ended_at IS NULL AS hit FROM inbox_marks m JOIN inbox i USING (seq)
      LEFT JOIN svc_runs r USING (runtime_id) WHERE m.state IN ('pending', 'running')`)
    for (const {id, handler, hit} of rows) if (hit === 1) this.#track(`${id} ${handler}`).crashes++
    const left = rows.filter(({id, handler}) => this.#track(`${id} ${handler}`).crashes < 2)
    const isSuspect = left.some(({id, handler}) => this.#track(`${id} ${handler}`).crashes > 0)
    return new Set(isSuspect ? left.map(({id}) => String(id)) : [])
  }

  /** Ends in order: what hangs is cut short. */
  async #end(): Promise<void> {
    const life = this.#alive()
    const {database, inbox, runtimeId, interrupts} = life
    const drained = inbox.drain()
    life.isStopping = true
    for (const interrupt of interrupts) interrupt()
    await Promise.race([drained, database.died])
    if (database.isDead) return this.#bury(database)
    await recordEnd(this.#database, runtimeId, 0, "stopped")
    await this.#bury(database)
  }

  async #crash(): Promise<void> {
    await this.#bury(this.#alive().database)
    await this.#start()
  }

  /** While nothing runs everything is as promised; and now and then a restore holds what waits. */
  async #bury(database: MortalDatabase): Promise<void> {
    await database.die()
    await this.#check()
    if (this.#chance.below(6) > 0) return
    for (const {id, handler, mark} of await this.#rows()) {
      if (mark.state === "pending") this.#track(`${id} ${handler}`).wasHeld = true
    }
    await this.#database.write([
      {sql: "UPDATE inbox_marks SET state = 'held', error = 'restored' WHERE state = 'pending'"},
    ])
  }

  async #receive(id: string): Promise<void> {
    const {inbox, endpoint} = this.#alive()
    const channel = {id: `c${seedOf(1, id) % 3}`, type: 1}
    const event = {id, type: "message-created", channel, user: {id: "ann"}, message: {id, content: id}}
    const {sn} = await inbox.receive(endpoint, event)
    const known = this.#acknowledged.get(id)
    if (known !== undefined && known !== sn) this.#faults.push(`${id} was acknowledged as ${known} and as ${sn}`)
    this.#acknowledged.set(id, sn)
  }

  async #operate(): Promise<void> {
    const [id] = [...this.#acknowledged.keys()].filter(() => this.#chance.below(2) === 0)
    const action = this.#chance.pick<InboxAction>(["retry", "retry", "release", "discard"])
    if (id === undefined) return this.#act(action === "retry" ? "release" : action, "held")
    return this.#act(action, id)
  }

  async #act(action: InboxAction, on: string): Promise<void> {
    const {database, inbox} = this.#alive()
    const isOn = ({id, mark}: {id: string; mark: Mark}) => (on === "held" ? mark.state === "held" : id === on)
    const chosen = (await this.#rows()).filter(isOn)
    for (const {id, handler} of chosen) {
      if (action === "discard") this.#track(`${id} ${handler}`).wasDiscarded = true
      else this.#again.add(id)
    }
    const possible = chosen.some(({mark}) => statesFor[action].includes(mark.state))
    const acting = inbox.act(action, on === "held" ? on : {seq: this.#acknowledged.get(on) ?? 0}).catch(error => {
      const isRefusal = error instanceof Problem && error.code === "inbox_state"
      if (possible || !isRefusal) this.#faults.push(`${action} of ${on}: ${error}`)
    })
    await Promise.race([acting, database.died])
    if (database.isDead) await database.die()
    // Whether it came before or after the end of what ran meanwhile, the database alone knows.
    for (const {id, handler, mark} of (await this.#rows()).filter(({id}) => chosen.some(each => each.id === id))) {
      this.#track(`${id} ${handler}`).crashes = mark.crashes
    }
  }

  async #settle(): Promise<void> {
    const deadline = Date.now() + 5000
    for (;;) {
      const [row] = await this.#database.read(
        "SELECT count(*) AS n FROM inbox_marks WHERE state IN ('pending', 'running')",
      )
      if (row?.n === 0) return
      await sleep(1)
      if (Date.now() > deadline) throw new Error(`nothing moves: ${JSON.stringify(await this.#rows())}`)
    }
  }

  #track(name: string): Track {
    const known = this.#tracks.get(name) ?? new Track(this.#seed, name)
    this.#tracks.set(name, known)
    return known
  }

  #dispatch(life: Life): Dispatch {
    return {
      match: ({message}) => ["one", "two"].slice(0, 1 + (seedOf(2, message?.id ?? "") % 2)),
      order: handlers => ({around: [], within: handlers}),
      run: async (stored, handler, attempt) => {
        const id = stored.event.message?.id ?? ""
        const conversation = stored.event.channel?.id ?? ""
        this.#begin(life, id, conversation, stored.event.sn)
        const outcome = await this.#handle(life, stored, this.#track(`${id} ${handler}`), attempt)
        const rest = life.running.get(conversation) ?? []
        rest.splice(rest.indexOf(id), 1)
        return outcome
      },
    }
  }

  /** One conversation in order, one event of it at a time; a suspect backlog one event at a time. */
  #begin(life: Life, id: string, conversation: string, seq: number): void {
    const running = life.running.get(conversation) ?? []
    if (running.some(other => other !== id)) this.#faults.push(`${id} began while ${running} ran in ${conversation}`)
    const newest = life.newest.get(conversation) ?? 0
    if (seq < newest && !this.#again.has(id)) this.#faults.push(`${id} began after a newer event of ${conversation}`)
    life.newest.set(conversation, Math.max(newest, seq))
    life.running.set(conversation, [...running, id])
    const all = new Set([...life.running.values()].flat())
    if (life.suspects.has(id) && all.size > 1 && !this.#again.has(id))
      this.#faults.push(`${id}, replayed, began beside ${[...all]}`)
  }

  async #handle(life: Life, {event}: StoredEvent, track: Track, attempt: Attempt): Promise<Outcome> {
    const run = track.plans.length
    const plan = planOf(this.#seed, track.name, run, this.#calm)
    track.plans.push(plan)
    const draft = (text: string) => ({
      id: uuid(),
      kind: "message" as const,
      endpoint: "line",
      channel: event.channel?.id ?? "",
      content: [text],
    })
    for (let n = 0; n < plan.turns; n++) await turn()
    for (let n = 0; n < plan.early; n++) {
      const id = await attempt.sendNow(draft(`early ${n}`), n)
      if ((track.early.get(n) ?? id) !== id)
        this.#faults.push(`${track.name}: sendNow ${n} was answered twice, differently`)
      track.early.set(n, id)
    }
    if (plan.end === "hangs") {
      if (!life.isStopping) await new Promise<void>(resolve => life.interrupts.add(resolve))
      return {is: "interrupted"}
    }
    track.ended.set(run, plan.end)
    const {retries} = track
    switch (plan.end) {
      case "threw":
        return {is: "failed", error: "as planned", retries}
      case "timeout":
        void this.#late(track, attempt, draft("late"))
        return {is: "failed", error: "no end"}
      case "refused":
        return {is: "handled", retries, sends: track.sendsOf(run).map(draft), writes: [write(track.name, "")]}
      case "handled":
        return {
          is: "handled",
          retries,
          sends: track.sendsOf(run).map(draft),
          writes: track.writesOf(run).map(text => write(track.name, text)),
        }
    }
  }

  /** What an attempt does after its time. */
  async #late(track: Track, attempt: Attempt, draft: Parameters<Attempt["sendNow"]>[0]): Promise<void> {
    const turns = 20 + this.#chance.below(20)
    for (let n = 0; n < turns; n++) await turn()
    await attempt.sendNow(draft, 99).then(
      () => this.#faults.push(`${track.name} sent after its end`),
      error => {
        if (!(error instanceof Problem) || error.code !== "late") this.#faults.push(String(error))
      },
    )
  }

  async #check(): Promise<void> {
    const rows = await this.#rows()
    for (const {id, handler, mark} of rows) this.#track(`${id} ${handler}`).check(mark)
    const stored = new Map(rows.map(({id, seq}) => [id, seq]))
    for (const [id, seq] of this.#acknowledged) expect(stored.get(id), `${id} was acknowledged`).toBe(seq)
  }

  async #rows(): Promise<
    readonly {readonly id: string; readonly seq: number; readonly handler: string; readonly mark: Mark}[]
  > {
    const marks = await this.#database.read(
      "SELECT i.event_id AS id, m.* FROM inbox_marks m JOIN inbox i USING (seq) ORDER BY m.seq",
    )
    const sent = await this.#database.read(
      "SELECT inbox_seq, handler, ordinal, early, id, content FROM outbox ORDER BY ordinal",
    )
    const written = await this.#database.read("SELECT mark, text FROM tally")
    return marks.map(row => {
      const own = sent.filter(({inbox_seq, handler}) => inbox_seq === row.seq && handler === row.handler)
      const mark: Mark = {
        state: String(row.state),
        failures: Number(row.failures),
        crashes: Number(row.crashes),
        error: row.error === null ? null : String(row.error),
        sends: own.filter(({early}) => early === 0).map(({content}) => String(JSON.parse(String(content))[0])),
        writes: written.filter(({mark}) => mark === `${row.id} ${row.handler}`).map(({text}) => String(text)),
        early: new Map(own.filter(({early}) => early === 1).map(({ordinal, id}) => [Number(ordinal), String(id)])),
      }
      return {id: String(row.id), seq: Number(row.seq), handler: String(row.handler), mark}
    })
  }
}

const statesFor: Record<InboxAction, readonly string[]> = {
  retry: ["failed", "dead"],
  release: ["held"],
  discard: ["failed", "dead", "held"],
}

const write = (mark: string, text: string) => ({
  sql: "INSERT INTO tally (mark, text) VALUES (?, ?)",
  args: [mark, text],
})
