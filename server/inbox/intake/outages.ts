import {durationOf} from "../../../shared/duration.ts"
import {toJson} from "../../../shared/json.ts"
import type {Log} from "../../../shared/log.ts"
import {messageOf} from "../../../shared/problems.ts"
import type {Database, Row} from "../../database/database.ts"
import {persist} from "../../database/persist.ts"
import {awayUntil, type Past} from "../../endpoints/pasts.ts"
import type {Clock, Span} from "../../runtime/flow/clock.ts"
import {ageOf, type OutageReason} from "./age.ts"
import {type Due, readDue} from "./marks.ts"

export interface OutagesOptions {
  readonly database: Database
  readonly log: Log
  readonly clock: Clock
  /** Runs handlers that are no longer held. */
  readonly resume: (due: readonly Due[]) => void
  /** `ingress` of the running generation. Without `askAfter`, nothing is held. */
  readonly asking: () => {readonly askAfter?: string | undefined; readonly askFor?: string | undefined}
  /** The pauses of ingress that are no outage. */
  readonly pauses: () => readonly Span[]
  readonly pastOf: (endpoint: string) => Past
}

interface Held {
  /** How many held events of it are being stored. */
  storing: number
  /** When that number changed, in looks. */
  at: number
}

const isHeld = "m.state = 'held' AND m.error IN ('outage', 'behind')"

/** The conversations with held events, whether one of them waits for a person, and since when one of their endpoint does. */
const conversations = `SELECT i.conversation, max(m.error = 'outage') AS waits,
    min(min(coalesce(m.ended_at, i.received_at))) OVER (PARTITION BY i.endpoint) AS since
  FROM inbox_marks m CROSS JOIN inbox i USING (seq) WHERE ${isHeld} GROUP BY i.endpoint, i.conversation`

const isWaiting = "m.state = 'pending' AND m.any_age = 0"
const ofPlatform = "i.seq = m.seq AND i.type <> 'timer'"
const endpoints = `SELECT DISTINCT i.endpoint FROM inbox_marks m CROSS JOIN inbox i ON ${ofPlatform}
  WHERE m.state IN ('pending', 'held') AND ((${isWaiting}) OR (${isHeld}))`

const hold = `UPDATE inbox_marks AS m SET state = 'held', error = 'outage', ended_at = ?
  WHERE m.state IN ('pending', 'held') AND ((${isWaiting}) OR (${isHeld})) AND EXISTS (
    SELECT 1 FROM inbox i WHERE ${ofPlatform} AND i.endpoint IN (SELECT value FROM json_each(?))) RETURNING seq`

const free = `UPDATE inbox_marks AS m SET state = 'pending', error = NULL, ended_at = NULL
  WHERE m.state = 'held' AND m.error IN (SELECT value FROM json_each(?)) AND EXISTS (
    SELECT 1 FROM inbox i WHERE i.seq = m.seq AND i.conversation IN (SELECT value FROM json_each(?))) RETURNING seq`

/**
 * Holds the events of an endpoint that were written before the end of an outage longer than `ingress.askAfter`, and
 * later ones of a conversation that has such events. They wait for a person, or for `ingress.askFor`.
 */
export class Outages {
  readonly #options: OutagesOptions
  readonly #held = new Map<string, Held>()
  #looks = 0
  #isDue = false
  #looking: Promise<void> | undefined
  #isResting = false
  #isStopped = false
  #cancel = () => {}

  constructor(options: OutagesOptions) {
    this.#options = options
  }

  /** Holds what earlier runs left waiting, unless a person had it run. Call `recheck` once the rest was passed on. */
  async start(): Promise<void> {
    const {database, log, clock, asking, pastOf} = this.#options
    const waiting = asking().askAfter === undefined ? [] : await database.read(endpoints)
    const away = waiting
      .map(({endpoint}) => String(endpoint))
      .filter(name => this.#longAway(pastOf(name)) !== undefined)
    if (away.length > 0) {
      const [held] = await database.write([{sql: hold, args: [clock.now(), toJson(away)]}])
      log.warn(`after an outage, ${held?.rows.length ?? 0} handlers wait for an operator: svc inbox list --state held`)
    }
    for (const {conversation} of await database.read(conversations)) this.#entryOf(String(conversation))
  }

  /** The endpoint's outage has ended. */
  online({past, spec: {name}}: {readonly past: Past; readonly spec: {readonly name: string}}): void {
    const before = past.askBefore
    const {log} = this.#options
    if (this.#returnOf(past) !== before) log.warn(`${name} was away: the Host holds what was written before its return`)
  }

  /** Returns why an event is held that counts from `since`. If it is, call `stored` once it is stored, or will not be. */
  reasonFor(past: Past, conversation: string, since: number): OutageReason | undefined {
    const isOld = since < (this.#returnOf(past) ?? Number.NEGATIVE_INFINITY)
    if (!isOld && !this.#held.has(conversation)) return undefined
    this.#entryOf(conversation).storing++
    return isOld ? "outage" : "behind"
  }

  /** `isNew` is whether it was stored now. */
  stored(conversation: string, isNew: boolean): void {
    const entry = this.#entryOf(conversation)
    entry.storing--
    entry.at = this.#looks
    if (!isNew || this.#looking !== undefined) this.recheck()
    else this.#rest()
  }

  /** Finds out which held events are to run: nothing older waits for a person, or the time of `askFor` is over. */
  recheck(): void {
    if (this.#held.size === 0 || this.#isStopped) return
    this.#isDue = true
    this.#looking ??= this.#lookAll()
      .catch(error => this.#options.log.warn(`held events stay held: ${messageOf(error)}`, {error}))
      .finally(() => {
        this.#looking = undefined
        this.#rest()
      })
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancel()
    await this.#looking
  }

  /** Rows also end elsewhere: by an operator's decision, retention, a deletion of a user's data. */
  #rest(): void {
    const {clock} = this.#options
    const isNeeded = this.#held.size > 0 && !this.#isStopped
    if (!isNeeded) this.#cancel()
    if (isNeeded === this.#isResting) return
    this.#isResting = isNeeded
    if (!isNeeded) return
    this.#cancel = clock.wait(Math.min(clock.longestWait, this.#time), () => {
      this.#isResting = false
      this.recheck()
    })
  }

  async #lookAll(): Promise<void> {
    while (this.#isDue && !this.#isStopped) {
      this.#isDue = false
      await this.#look()
    }
  }

  async #look(): Promise<void> {
    const {database, clock} = this.#options
    const look = ++this.#looks
    const rows = await database.read(conversations)
    const from = clock.now() - this.#time
    const over = rows.filter(({since}) => Number(since) <= from)
    const alone = rows.filter(row => row.waits === 0 && !over.includes(row))
    await this.#free(["outage", "behind"], over)
    await this.#free(["behind"], alone)
    const left = new Set(rows.flatMap(row => (over.includes(row) || alone.includes(row) ? [] : [row.conversation])))
    for (const [conversation, {storing, at}] of this.#held)
      if (storing === 0 && at < look && !left.has(conversation)) this.#held.delete(conversation)
  }

  async #free(reasons: readonly OutageReason[], rows: readonly Row[]): Promise<void> {
    const {database, log, resume} = this.#options
    if (rows.length === 0) return
    const names = toJson(rows.map(({conversation}) => conversation))
    const due = await persist("held events", log, async () => {
      await database.write([{sql: free, args: [toJson(reasons), names]}])
      return readDue(database, "i.conversation IN (SELECT value FROM json_each(?))", [names])
    })
    resume(due)
  }

  /** How long held events wait for a person, in milliseconds. */
  get #time(): number {
    const {askFor} = this.#options.asking()
    return askFor === undefined ? Number.POSITIVE_INFINITY : durationOf(askFor)
  }

  #entryOf(conversation: string): Held {
    const entry = this.#held.get(conversation) ?? {storing: 0, at: this.#looks}
    this.#held.set(conversation, entry)
    return entry
  }

  /** Returns when the last outage ended, if it was longer than `askAfter`; now if it has not ended. */
  #longAway(past: Past): number | undefined {
    const {clock, asking, pauses} = this.#options
    const {askAfter} = asking()
    const [now, away] = [clock.now(), awayUntil(past, clock.now())]
    if (askAfter === undefined || away === undefined || away.to > now) return undefined
    return ageOf(away.from, away.to, pauses()) > durationOf(askAfter) ? away.to : undefined
  }

  /** Returns when the last long outage ended. The endpoint's past remembers it over a short one. */
  #returnOf(past: Past): number | undefined {
    if (this.#options.asking().askAfter === undefined) return undefined
    const known = past.askBefore === undefined ? undefined : Math.min(past.askBefore, this.#options.clock.now())
    past.askBefore = this.#longAway(past) ?? known
    return past.askBefore
  }
}
