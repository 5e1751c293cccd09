import {setTimeout as sleep, setImmediate as turn} from "node:timers/promises"
import {v7 as uuid} from "uuid"
import {expect} from "vitest"
import type {Database} from "../../../server/database/database.ts"
import {recordEnd, recordStart} from "../../../server/database/state/runs.ts"
import type {InboxAction} from "../../../server/inbox/actions.ts"
import {Inbox} from "../../../server/inbox/inbox.ts"
import {Outbox} from "../../../server/outbox/outbox.ts"
import {Problem} from "../../../shared/problems.ts"
import {log} from "../../support/database/databases.ts"
import {type Death, MortalDatabase} from "../../support/database/mortal-database.ts"
import {Chance} from "../../support/machine/chance.ts"
import {incoming, lineEndpoint} from "../../support/messages/line-endpoint.ts"
import {checkDialogue, dialogueTables, expireOpen, readDialogue} from "./dialogue.ts"
import {around, Handlers, isMiddleware, type Life, placeOf, type Scene} from "./handlers.ts"
import {isPassedOver, type Mark, Track} from "./model.ts"

/** Tables that are empty at the start of a history. */
const tables = ["inbox", "inbox_marks", "outbox", "prompts", "svc_runs", "tally", "dialogue"]

export const prepare = (database: Database): Promise<unknown> =>
  database.migrate(
    [{sql: "CREATE TABLE tally (mark TEXT NOT NULL, text TEXT NOT NULL CHECK (text <> ''))"}, ...dialogueTables],
    new AbortController().signal,
  )

/** One history: random things happen to an inbox, and it checks whether the inbox keeps its promises. */
export class History implements Scene {
  readonly seed: number
  readonly chance: Chance
  readonly #database: Database
  readonly #tracks = new Map<string, Track>()
  readonly #acknowledged = new Map<string, number>()
  readonly again = new Set<string>()
  readonly faults: string[] = []
  readonly isCalm = () => this.#calm
  #calm = false
  #life: Life | undefined

  constructor(seed: number, database: Database) {
    this.seed = seed
    this.chance = new Chance(seed)
    this.#database = database
  }

  /** Rejects when a promise was broken. */
  async run(): Promise<void> {
    await this.#database.write(tables.map(table => ({sql: `DELETE FROM ${table}`})))
    await this.#start()
    const steps = 3 + this.chance.below(8)
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
    await this.#answerAll()
    await this.#check()
    const [copies] = await this.#database.read("SELECT count(*) - count(DISTINCT event_id) AS n FROM inbox")
    expect(copies?.n, "each event is stored once").toBe(0)
    expect(this.faults.join(), "nothing went wrong").toBe("")
    const open = await this.#database.read("SELECT * FROM inbox_marks WHERE state IN ('pending', 'running', 'held')")
    expect(open).toEqual([])
    await this.#end()
  }

  async #step(): Promise<void> {
    const {database} = this.#alive()
    switch (
      this.chance.pick(["receive", "receive", "receive", "receive", "wait", "doom", "crash", "stop", "operator"])
    ) {
      case "receive":
        for (let n = this.chance.below(4); n >= 0; n--) void this.#receive(`event ${this.chance.below(12)}`)
        return this.#wait()
      case "wait":
        return this.#wait()
      case "doom":
        return database.doom(this.chance.below(6), this.chance.pick<Death>(["before", "after"]))
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
    for (let turns = this.chance.below(12); turns > 0; turns--) await turn()
  }

  #alive(): Life {
    if (this.#life === undefined) throw new Error("no process lives")
    return this.#life
  }

  async #start(): Promise<void> {
    const runtimeId = uuid()
    const database = new MortalDatabase(this.#database)
    await recordStart(this.#database, {runtimeId, startedAt: Date.now(), mode: "test", version: "0", runtime: "test"})
    const inbox = new Inbox(database, new Outbox(database, log), runtimeId, log, {pauses: {first: 1, longest: 2}})
    const endpoint = lineEndpoint(inbox)
    const life: Life = {
      database,
      inbox,
      endpoint,
      runtimeId,
      interrupted: Promise.withResolvers(),
      running: new Map(),
      newest: new Map(),
      begun: new Set(),
      gone: new Set(),
      closed: new Set(),
      suspects: await this.#suspects(),
      isStopping: false,
    }
    this.#life = life
    await inbox.start(new Handlers(this, life))
  }

  /** After a crash: an event found running twice is dead, and the rest of the backlog is replayed one at a time. */
  async #suspects(): Promise<Set<string>> {
    const rows = await this.#database.read(`SELECT i.event_id AS id, m.handler,
      m.state = 'running' AND r.ended_at IS NULL AS hit FROM inbox_marks m JOIN inbox i USING (seq)
      LEFT JOIN svc_runs r USING (runtime_id) WHERE m.state IN ('pending', 'running')`)
    const hits = rows.filter(({hit}) => hit === 1)
    for (const {id, handler} of hits) {
      // While a handler inside it was running, that handler is to blame.
      const isAround = (other: string) => isMiddleware(String(handler)) && !isMiddleware(other)
      if (hits.some(other => other.id === id && isAround(String(other.handler)))) continue
      this.track(`${id} ${handler}`).crashes++
    }
    const left = rows.filter(({id, handler}) => this.track(`${id} ${handler}`).crashes < 2)
    const isSuspect = left.some(({id, handler}) => this.track(`${id} ${handler}`).crashes > 0)
    return new Set(isSuspect ? left.map(({id}) => String(id)) : [])
  }

  /** Ends in order, and cuts hanging handlers short. */
  async #end(): Promise<void> {
    const life = this.#alive()
    const {database, inbox, runtimeId, interrupted} = life
    const drained = inbox.drain()
    life.isStopping = true
    interrupted.resolve()
    await Promise.race([drained, database.died])
    if (database.isDead) return this.#bury(database)
    await recordEnd(this.#database, runtimeId, 0, "stopped")
    await this.#bury(database)
  }

  async #crash(): Promise<void> {
    await this.#bury(this.#alive().database)
    await this.#start()
  }

  /** Checks every promise while nothing runs. Now and then a restore holds waiting events. */
  async #bury(database: MortalDatabase): Promise<void> {
    await database.die()
    await this.#check()
    if (this.chance.below(4) === 0) await this.#database.write([expireOpen])
    if (this.chance.below(6) > 0) return
    for (const {id, handler, mark} of await this.#rows()) {
      if (mark.state === "pending") this.track(`${id} ${handler}`).wasHeld = true
    }
    await this.#database.write([
      {sql: "UPDATE inbox_marks SET state = 'held', error = 'restored' WHERE state = 'pending'"},
    ])
  }

  async #receive(id: string): Promise<void> {
    const {inbox, endpoint} = this.#alive()
    const {channel, user} = placeOf(id)
    const event = incoming(id, {channel: {id: channel, type: 1}, user: {id: user}})
    const {sn} = await inbox.receive(endpoint, event)
    const known = this.#acknowledged.get(id)
    if (known !== undefined && known !== sn) this.faults.push(`${id} was acknowledged as ${known} and as ${sn}`)
    this.#acknowledged.set(id, sn)
  }

  async #operate(): Promise<void> {
    const [id] = [...this.#acknowledged.keys()].filter(() => this.chance.below(2) === 0)
    const action = this.chance.pick<InboxAction>(["retry", "retry", "release", "discard", "hold"])
    if (id === undefined) return this.#act(action === "discard" ? action : "release", "held")
    return this.#act(action, id)
  }

  async #act(action: InboxAction, on: string): Promise<void> {
    const {database, inbox} = this.#alive()
    const isOn = ({id, mark}: {id: string; mark: Mark}) => (on === "held" ? mark.state === "held" : id === on)
    const chosen = (await this.#rows()).filter(isOn)
    for (const {id, handler} of chosen) {
      if (action === "discard") this.track(`${id} ${handler}`).wasDiscarded = true
      else if (action === "hold") this.track(`${id} ${handler}`).wasHeld = true
      else this.again.add(id)
    }
    const possible = chosen.some(({mark}) => statesFor[action].includes(mark.state))
    const acting = inbox.act(action, on === "held" ? on : {seq: this.#acknowledged.get(on) ?? 0}).catch(error => {
      const isRefusal = error instanceof Problem && error.code === "inbox_state"
      if (possible || !isRefusal) this.faults.push(`${action} of ${on}: ${error}`)
    })
    await Promise.race([acting, database.died])
    if (database.isDead) await database.die()
    // Only the database knows whether the retry came before or after the end of the running handlers.
    for (const {id, handler, mark} of (await this.#rows()).filter(({id}) => chosen.some(each => each.id === id))) {
      this.track(`${id} ${handler}`).crashes = mark.crashes
    }
  }

  async #settle(): Promise<void> {
    const deadline = Date.now() + 60_000
    for (;;) {
      const [row] = await this.#database.read(
        "SELECT count(*) AS n FROM inbox_marks WHERE state IN ('pending', 'running')",
      )
      if (row?.n === 0) return
      await sleep(1)
      if (Date.now() > deadline) throw new Error(`nothing moves: ${JSON.stringify(await this.#rows())}`)
    }
  }

  track(name: string): Track {
    const known = this.#tracks.get(name) ?? new Track(this.seed, name)
    this.#tracks.set(name, known)
    return known
  }

  /** Answers open questions with the next message of the user who was asked. The two are in different channels. */
  async #answerAll(): Promise<void> {
    for (let n = 0; n < 2; n++) {
      const id = `answer ${n}`
      const {channel, user} = placeOf(id)
      const open = (await readDialogue(this.#database)).filter(
        ({place, isOpen}) => isOpen && place === `${channel} id ${user}`,
      )
      await this.#receive(id)
      const answered = (await readDialogue(this.#database)).filter(({answers}) =>
        answers.includes(this.#acknowledged.get(id) ?? 0),
      )
      const dataOf = (questions: typeof open) => questions.map(({data}) => data)
      expect(dataOf(answered), `${id} of ${user} in ${channel} answers the open question there`).toEqual(dataOf(open))
    }
    await this.#settle()
  }

  async #check(): Promise<void> {
    const rows = await this.#rows()
    for (const {id, handler, mark} of rows) this.track(`${id} ${handler}`).check(mark)
    const stored = new Map(rows.map(({id, seq}) => [id, seq]))
    for (const [id, seq] of this.#acknowledged) expect(stored.get(id), `${id} was acknowledged`).toBe(seq)
    const byEvent = Map.groupBy(rows, ({id}) => id)
    for (const [id, marks] of byEvent) this.#checkChain(id, new Map(marks.map(({handler, mark}) => [handler, mark])))
    await checkDialogue(this.#database)
  }

  /** Handlers behind a middleware that stops do not run, as their marks say; if it continues or fails, they run. */
  #checkChain(id: string, marks: ReadonlyMap<string, Mark>): void {
    for (const [handler, mark] of marks) {
      const track = this.track(`${id} ${handler}`)
      const say = (what: string) => `${track.name}: ${what}; ${JSON.stringify([...marks])}`
      const outside = around(handler).filter(each => marks.get(each)?.state === "handled")
      const stoppers = outside.filter(each => this.track(`${id} ${each}`).plans.some(({passes}) => !passes))
      if (isPassedOver(mark)) expect(stoppers.join(), say("somebody has stopped it")).not.toBe("")
      if (track.wasHeld || this.again.has(id)) continue
      for (const each of outside.filter(each => !this.track(`${id} ${each}`).mayHavePassed)) {
        expect(track.plans.length, say(`it never ran behind ${each}`)).toBe(0)
        // An operator may discard it while it waits behind a middleware.
        if (mark.state !== "discarded") expect(isPassedOver(mark), say(`${each} has ended it`)).toBe(true)
      }
    }
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
    const asked = await readDialogue(this.#database)
    return marks.map(row => {
      const own = sent.filter(({inbox_seq, handler}) => inbox_seq === row.seq && handler === row.handler)
      const name = `${row.id} ${row.handler}`
      const mark: Mark = {
        state: String(row.state),
        failures: Number(row.failures),
        crashes: Number(row.crashes),
        error: row.error === null ? null : String(row.error),
        sends: own.filter(({early}) => early === 0).map(({content}) => String(JSON.parse(String(content))[0])),
        writes: written.filter(({mark}) => mark === name).map(({text}) => String(text)),
        asks: asked.map(({data}) => data).filter(data => data.startsWith(`${name} run `)),
        early: new Map(own.filter(({early}) => early === 1).map(({ordinal, id}) => [Number(ordinal), String(id)])),
      }
      return {id: String(row.id), seq: Number(row.seq), handler: String(row.handler), mark}
    })
  }
}

/** The states of which an action changes at least one mark. A waiting handler may begin before the action. */
const statesFor: Record<InboxAction, readonly string[]> = {
  retry: ["failed", "dead"],
  release: ["held"],
  discard: ["failed", "dead", "held"],
  hold: [],
}
