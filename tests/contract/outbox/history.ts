import {setTimeout as sleep, setImmediate as turn} from "node:timers/promises"
import {expect} from "vitest"
import type {Database} from "../../../server/database/database.ts"
import type {OutboxAction} from "../../../server/outbox/actions.ts"
import {Outbox} from "../../../server/outbox/outbox.ts"
import {Problem} from "../../../shared/problems.ts"
import {refused, retryAfter} from "../../../shared/sdk/adapter/refusal.ts"
import type {Sender} from "../../../shared/sdk/adapter/sender.ts"
import {log} from "../../support/database/databases.ts"
import {type Death, MortalDatabase} from "../../support/database/mortal-database.ts"
import {Chance} from "../../support/machine/chance.ts"
import {type Outcome, policies, policyOf, type Stored, Track, timing} from "./model.ts"

const endpoints = Object.keys(policies)

interface Life {
  readonly database: MortalDatabase
  readonly outbox: Outbox
}

/** One history: random things happen to an outbox, and it checks whether the model's promises hold. */
export class OutboxHistory {
  readonly #chance: Chance
  readonly #database: Database
  readonly #tracks = new Map<string, Track>()
  readonly #offline = new Set<string>()
  readonly #faults: string[] = []
  #life: Life | undefined
  #isPaused = false
  /** Sends in this life whose storing has not ended. */
  #storing: Promise<void>[] = []
  #isCalm = false

  constructor(seed: number, database: Database) {
    this.#chance = new Chance(seed)
    this.#database = database
  }

  /** Rejects when a promise was broken. */
  async run(): Promise<void> {
    await this.#database.write([{sql: "DELETE FROM outbox"}])
    await this.#start()
    for (let steps = 4 + this.#chance.below(10); steps > 0; steps--) {
      await this.#step()
      if (this.#life?.database.isDead === true) await this.#crash()
    }
    this.#isCalm = true
    for (const endpoint of [...this.#offline]) this.#switchLine(endpoint)
    if (this.#chance.below(2) === 0) {
      await this.#stop()
      await this.#start()
    }
    await this.#settle()
    const rows = await this.#rows()
    for (const [id, track] of this.#tracks) {
      for (const fault of track.faults(rows.get(id))) this.#fault(id, fault)
    }
    expect(this.#faults.join(), "nothing went wrong").toBe("")
    await this.#stop()
  }

  async #step(): Promise<void> {
    const {database} = this.#alive()
    switch (this.#chance.pick("send send send send wait wait doom crash stop pause line act".split(" "))) {
      case "send":
        for (let n = this.#chance.below(4); n >= 0; n--) this.#storing.push(this.#send())
        return this.#wait()
      case "wait":
        return this.#wait()
      case "doom":
        return database.doom(this.#chance.below(8), this.#chance.pick<Death>(["before", "after"]))
      case "crash":
        return this.#crash()
      case "stop":
        await this.#stop()
        return this.#start()
      case "pause":
        this.#isPaused = !this.#isPaused
        return
      case "line":
        return this.#switchLine(this.#chance.pick(endpoints))
      case "act":
        return this.#act(this.#chance.pick<OutboxAction>(["retry", "release", "discard", "hold"]))
    }
  }

  async #wait(): Promise<void> {
    if (this.#chance.below(3) === 0) return sleep(this.#chance.below(4))
    for (let turns = this.#chance.below(12); turns > 0; turns--) await turn()
  }

  #alive(): Life {
    if (this.#life === undefined) throw new Error("no process lives")
    return this.#life
  }

  async #start(): Promise<void> {
    const database = new MortalDatabase(this.#database)
    const requireOpen = () => {
      if (this.#isPaused) throw new Problem("ingress_paused", "paused")
    }
    const outbox = new Outbox(database, log, {requireOpen, timing})
    this.#life = {database, outbox}
    await outbox.start({
      sender: endpoint => (this.#offline.has(endpoint) ? undefined : this.#senderOf(database)),
      policy: policyOf,
    })
  }

  /** Stops in order: running sends may end, and requested messages are stored. If the process dies, it has crashed. */
  async #stop(): Promise<void> {
    const {outbox, database} = this.#alive()
    await Promise.race([outbox.drain().then(() => Promise.all(this.#storing)), database.died])
    this.#storing = []
    if (database.isDead) await this.#died()
  }

  async #crash(): Promise<void> {
    await this.#died()
    await this.#start()
  }

  async #died(): Promise<void> {
    const {database, outbox} = this.#alive()
    await database.die()
    this.#storing = []
    void outbox.drain()
    for (const track of this.#tracks.values()) track.died()
  }

  async #send(): Promise<void> {
    const id = `message ${this.#tracks.size}`
    const track = new Track(this.#chance.pick(endpoints), this.#chance.pick(["one", "two"]))
    this.#tracks.set(id, track)
    const {endpoint, channel} = track
    const wasPaused = this.#isPaused
    try {
      await this.#alive().outbox.enqueue({id, kind: "message", endpoint, channel, content: [id]})
      track.isStored = true
      if (wasPaused) this.#fault(id, "it was taken while ingress was paused")
    } catch (error) {
      track.isRefused = wasPaused && error instanceof Problem && error.code === "ingress_paused"
      if (!track.isRefused) this.#fault(id, `it was not taken: ${error}`)
    }
  }

  #switchLine(endpoint: string): void {
    if (!this.#offline.delete(endpoint)) this.#offline.add(endpoint)
    else this.#alive().outbox.online(endpoint)
  }

  /** An operator decides about a message in any state. A process that dies meanwhile may have carried it out. */
  async #act(action: OutboxAction): Promise<void> {
    const {outbox, database} = this.#alive()
    const id = this.#chance.pick([...this.#tracks.keys(), "nothing"])
    const track = this.#tracks.get(id)
    const before = (await this.#rows()).get(id)
    const calls = track?.calls.length ?? 0
    if (track !== undefined && action !== "discard") track.isTouched = true
    const acting = outbox
      .act(action, {id})
      .then(() => "done")
      .catch(error => (error instanceof Problem ? error.code : String(error)))
    const answer = await Promise.race([acting, database.died])
    if (answer === undefined) await database.die()
    const after = (await this.#rows()).get(id)
    const isSpared = before !== undefined && after?.spared !== before.spared
    const isChanged = {discard: after?.state === "discarded", hold: after?.state === "held"}[String(action)] ?? isSpared
    const isDone = answer === "done" || (answer === undefined && isChanged)
    const isOver = track === undefined || before?.state === "sent" || before?.state === "discarded"
    if (isDone && isOver && before?.state !== after?.state) this.#fault(id, `${action} was done to it`)
    if (isDone && track !== undefined) {
      track.isHeld = action === "hold"
      if (action === "discard") track.isGivenUp = true
      else if (action === "hold") track.isTouched = true
      else track.again(calls)
    }
    const refusals = ["done", "outbox_state", "outbox_unknown", undefined]
    if (!refusals.some(each => each === answer)) this.#fault(id, `${action} was answered ${answer}`)
  }

  #senderOf(database: MortalDatabase): Sender {
    return {
      send: async ({id, channel}) => {
        // A dead process says nothing more.
        if (database.isDead) return new Promise(() => {})
        const track = this.#tracks.get(id)
        if (track === undefined) throw new Error(`nobody sends ${id}`)
        if (track.isHeld) this.#fault(id, "it is held, and is sent")
        if (track.isGivenUp) this.#fault(id, "it was given up, and is sent")
        const outcome = this.#isCalm ? "take" : this.#chance.pick(outcomes)
        track.call(outcome)
        await this.#checkCall(id, track.endpoint, channel, database)
        return answerOf(outcome, id)
      },
    }
  }

  /** Checks a call: the message is already `sending` in the database, alone in its channel, with none older. */
  async #checkCall(id: string, endpoint: string, channel: string, database: MortalDatabase): Promise<void> {
    const rows = await this.#database.read(
      "SELECT id, state, seq FROM outbox WHERE endpoint = ? AND channel = ? AND state IN ('queued', 'sending') ORDER BY seq",
      [endpoint, channel],
    )
    if (database.isDead) return
    const sending = rows.filter(({state}) => state === "sending").map(row => row.id)
    if (sending.length !== 1 || sending[0] !== id) this.#fault(id, `it is being sent while ${sending} is sending`)
    const older = rows
      .slice(
        0,
        rows.findIndex(row => row.id === id),
      )
      .map(row => String(row.id))
    const overtaken = older.filter(other => this.#tracks.get(other)?.isTouched === false)
    if (overtaken.length > 0) this.#fault(id, `it is sent before ${overtaken}`)
  }

  /** Waits until the outbox has nothing left to do. A process that dies meanwhile leaves the rest to the next one. */
  async #settle(): Promise<void> {
    await Promise.race([Promise.all(this.#storing), this.#alive().database.died])
    for (const deadline = Date.now() + 60_000; Date.now() < deadline; ) {
      if (this.#alive().database.isDead) await this.#crash()
      const [open] = await this.#database.read("SELECT count(*) AS n FROM outbox WHERE state IN ('queued', 'sending')")
      if (open?.n === 0) return
      await sleep(1)
    }
    const rows = await this.#database.read("SELECT * FROM outbox WHERE state IN ('queued', 'sending')")
    throw new Error(`still to be sent after a minute: ${JSON.stringify(rows)}`)
  }

  async #rows(): Promise<ReadonlyMap<string, Stored>> {
    const rows = await this.#database.read("SELECT id, state, attempt, spared, reason FROM outbox")
    return new Map(rows.map(row => [String(row.id), row as unknown as Stored]))
  }

  #fault(id: string, fault: string): void {
    const track = this.#tracks.get(id)
    this.#faults.push(`${id} to ${track?.endpoint} (calls: ${track?.calls.join(", ")}): ${fault}`)
  }
}

const outcomes: readonly Outcome[] = ["take", "take", "take", "fail", "fail", "refuse", "wait", "lose", "stall"]

const answerOf = (outcome: Outcome, id: string): Promise<{ids: readonly string[]}> => {
  switch (outcome) {
    case "take":
      return Promise.resolve({ids: [id]})
    case "fail":
      return Promise.reject(new Error("not now"))
    case "refuse":
      return Promise.reject(refused("never", {reason: "never", remediation: "None."}))
    case "wait":
      return Promise.reject(retryAfter(1))
    case "lose":
    case "stall":
      return new Promise(() => {})
  }
}
