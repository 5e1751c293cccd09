import type {Database, Row} from "../../../../server/database/database.ts"

const minute = 60_000
const hour = 60 * minute

/** The age limits of handlers, by the first word of what they say, in milliseconds. */
const limits: Readonly<Record<string, number>> = {open: hour, quick: 2 * minute, rang: 10 * minute}

export interface Place {
  readonly endpoint: string
  /** In milliseconds; for messages without another limit. */
  readonly maxAge?: number
  /** Does the Host know only since when it was away? */
  readonly isUndated: boolean
}

/** What a person said, or a timer that was set. Times are in milliseconds since 1970, by the Host's clock. */
export interface Said {
  readonly n: number
  readonly place: Place
  readonly channel: string
  readonly eventId: string
  /** The first words of the answers of all handlers. */
  readonly handlers: readonly string[]
  /** When the server says that it was written, or since when it kept it; else unknown. */
  since: number
  /** When it was last given to the Host, and when the Host said that it had stored it. */
  handed?: number | undefined
  storedAt?: number | undefined
  /** After how many checkpoints it was stored; undefined if it was not. */
  era?: number | undefined
  /** Must the Host have it? */
  isDue: boolean
}

interface Act {
  readonly what: string
  readonly n: number
  at: number
  /** How old it was then, in milliseconds. */
  readonly age: number
  /** When the handler ended, at the latest. */
  endedAt: number
  readonly life: number
}

interface Arrival {
  readonly place: Place
  readonly channel: string
  readonly text: string
  at: number
  /** How many outages and changes of the clock there were before. */
  readonly absences: number
}

/** A message that the bot sent by itself. */
interface OwnSend {
  readonly text: string
  readonly place: Place
  readonly at: number
  readonly notAfter: number | undefined
  readonly era: number
}

/** What a judge saw of one round, and what it thinks of the Host's database. It uses no code of the Host. */
export class Book {
  readonly said: Said[] = []
  readonly acts: Act[] = []
  readonly arrivals: Arrival[] = []
  readonly sends = new Map<string, OwnSend>()
  readonly killed = new Set<number>()
  /** What a person released: the ids of events, and the texts of messages. */
  readonly released = new Set<string>()
  readonly faults: string[] = []
  /** What something that was said has waited through, and where. */
  readonly cases = new Set<string>()
  /** Outages and changes of the clock: each may cause one notice in each conversation. */
  absences = 0
  era = 0
  wasSetBack = false
  wasRestored = false

  act(what: string, n: number, at: number, life: number): void {
    const said = this.said[n]
    if (said === undefined) this.faults.push(`${what} ${n}: nobody said that`)
    else this.acts.push({what, n, at, age: at - this.#sinceOf(said), endedAt: at, life})
  }

  arrived(place: Place, channel: string, text: string, at: number): void {
    this.arrivals.push({place, channel, text, at, absences: this.absences})
  }

  /** The Host asked a person about a message that may have arrived. */
  asked(endpoint: unknown, text: string, at: number): void {
    const place = this.#placeOf(endpoint)
    const limit = place && this.#limitOf(place, text)
    if (limit !== undefined && at > limit && !this.released.has(text))
      this.faults.push(`a person was asked about ${text} ${(at - limit) / minute} minutes after its limit`)
  }

  /** This happened while what was said had not ended. */
  passed(what: string, said: readonly Said[]): void {
    for (const {place} of said) this.cases.add(`${what} at ${place.endpoint}`)
  }

  #placeOf(name: unknown): Place | undefined {
    return this.said.find(({place: {endpoint}}) => endpoint === name)?.place
  }

  /** An operator set the clock, while handlers that began at `at` may have been running. */
  jumped(at: number, to: number): void {
    this.absences++
    this.wasSetBack ||= to < at
    for (const act of this.acts) if (act.at === at) act.endedAt = Math.max(act.endedAt, to)
  }

  /** Everything until now happened that much earlier, in milliseconds. */
  shift(by: number): void {
    for (const said of this.said) said.since -= by
    for (const each of [...this.arrivals, ...this.acts]) each.at -= by
    for (const act of this.acts) act.endedAt -= by
  }

  /** The Host has taken an event. It had it before if it was handed over `earlier`, in a life that was killed. */
  stored(said: Said, earlier: number | undefined, at: number): void {
    said.isDue = true
    said.storedAt = earlier === undefined ? at : (said.storedAt ?? earlier)
    if (earlier === undefined || said.era === undefined) said.era = this.era
  }

  /** The database is as it was at a checkpoint. `isKept` says whether a platform delivers an event again. */
  restored(checkpoint: number, isKept: (said: Said) => boolean): void {
    this.wasRestored = true
    this.absences++
    for (const said of this.said) {
      if (said.era !== undefined && said.era < checkpoint) continue
      this.passed("restore", [said])
      if (said.era !== undefined) said.isDue = isKept(said)
      said.handed = said.storedAt = said.era = undefined
    }
    for (const [id, send] of this.sends) if (send.era >= checkpoint) this.sends.delete(id)
  }

  /** Judges the round once nothing is left to do. Returns what happened, by name. */
  async judge(database: Pick<Database, "read">, now: number): Promise<Readonly<Record<string, number>>> {
    for (const act of this.acts) this.#judgeAct(act)
    for (const arrival of this.arrivals) this.#judgeArrival(arrival)
    this.#judgeNotices()
    // A timer that is held is no event yet.
    const marks = await database.read(
      `SELECT i.event_id, i.endpoint, m.handler, m.state, m.ended_at FROM inbox_marks m JOIN inbox i USING (seq)
       UNION ALL SELECT 'timer:' || id || '@' || due_at, endpoint, 'root/bot/timer/' || name, state, 0 FROM timers`,
    )
    const messages = await database.read(
      `SELECT id, endpoint, content ->> '$[0]' AS text, state, created_at, ended_at FROM outbox`,
    )
    for (const said of this.said.filter(({isDue}) => isDue)) this.#judgeMarks(said, marks, messages, now)
    for (const row of messages) this.#judgeMessage(row)
    for (const [id, {text}] of this.sends)
      if (!messages.some(row => row.id === id)) this.faults.push(`${text} was stored, and is nowhere`)
    const notices = this.arrivals.filter(({text}) => !isAnswer(text)).length
    const tally: Record<string, number> = {acts: this.acts.length, arrivals: this.arrivals.length, notices}
    for (const [kind, rows] of Object.entries({handler: marks, message: messages}))
      for (const {state} of rows) tally[`${kind} ${state}`] = (tally[`${kind} ${state}`] ?? 0) + 1
    return tally
  }

  #judgeAct({what, n, age, life}: Act): void {
    if (this.#isReleased(n)) return
    if (age > (limits[what] ?? Infinity)) this.faults.push(`${what} ${n} ran ${age / minute} minutes after it was said`)
    // A handler that a kill cut off runs again, and nothing of its first run is sent.
    const runs = this.acts.filter(act => act.what === what && act.n === n)
    if (runs.some((act, index) => act.life === life && runs[index + 1] !== undefined && !this.killed.has(life)))
      this.faults.push(`${what} ${n} ran twice`)
    if (runs.filter(act => act.life === life).length > 1) this.faults.push(`${what} ${n} ran twice in one life`)
  }

  #isReleased(n: number): boolean {
    return this.released.has(this.said[n]?.eventId ?? "")
  }

  /** A clock that was set back hides since when a platform without times has kept something. */
  #sinceOf({place, since, storedAt = Infinity, handed = Infinity}: Said): number {
    const isHidden = place.isUndated && this.wasSetBack && Number.isFinite(Math.min(storedAt, handed))
    return Math.min(isHidden ? Infinity : since, storedAt, handed)
  }

  #judgeArrival({place, text, at}: Arrival): void {
    const isReleased = this.released.has(text)
    const limit = this.#limitOf(place, text)
    if (limit !== undefined && at > limit && !isReleased)
      this.faults.push(`${text} arrived ${(at - limit) / minute} minutes after its limit`)
    const [, n] = text.split(" ")
    const count = this.arrivals.filter(other => other.text === text && isAnswer(text)).length
    if (count > 1 && !isReleased && !this.#isReleased(Number(n))) this.faults.push(`${text} arrived ${count} times`)
  }

  /** Returns the last moment to send a message: by its own limit, that of its handler, or that of its endpoint. */
  #limitOf({maxAge = Infinity}: Place, text: string, isLast = true): number | undefined {
    const [what = "", n] = text.split(" ")
    const own = [...this.sends.values()].find(send => send.text === text)
    if (own !== undefined) return own.notAfter ?? own.at + maxAge
    const made = this.acts.filter(act => act.what === what && act.n === Number(n))
    const from = isLast ? Math.max(...made.map(({endedAt}) => endedAt)) + 1000 : Math.min(...made.map(({at}) => at))
    return made.length === 0 ? undefined : from + (limits[what] ?? maxAge)
  }

  /** Each conversation gets one notice about an outage, and no two are the same. */
  #judgeNotices(): void {
    const notices = this.arrivals.filter(({text}) => !isAnswer(text) && !this.released.has(text))
    for (const {place, channel, text, absences} of notices) {
      const here = notices.filter(each => each.place === place && each.channel === channel)
      const until = here.filter(each => each.absences <= absences).map(each => each.text)
      const isTwice = /\d/.test(text) && until.filter(each => each === text).length > 1
      if (isTwice || until.length > absences)
        this.faults.push(`${channel} of ${place.endpoint} got ${until.join("; ")}`)
    }
  }

  #judgeMarks(said: Said, rows: readonly Row[], messages: readonly Row[], now: number): void {
    const {n, place, eventId, handlers} = said
    const marks = rows.filter(row => row.event_id === eventId && row.endpoint === place.endpoint)
    const fault = (is: string) => void this.faults.push(`${handlers.join(" and ")} ${n} of ${place.endpoint} ${is}`)
    if (marks.length !== handlers.length) fault(`has ${marks.length} states`)
    for (const {handler, state, ended_at: endedAt} of marks) {
      const what = whatOf(String(handler))
      const isAhead = state === "waiting" && said.since > now
      if (!ends.includes(String(state)) && !isAhead) fault(`is ${state} in the end`)
      const hasRun = this.acts.some(act => act.n === n && act.what === what)
      if (state === "handled" && !hasRun) fault(`is handled, and ${what} never ran`)
      const [age, limit = Infinity] = [Number(endedAt) - this.#sinceOf(said), limits[what]]
      const isUnsure = limit !== Infinity && (place.isUndated || this.wasSetBack)
      if (state === "expired" && age <= limit && !isUnsure) fault(`expired after ${age / minute} minutes`)
      const answers = messages.filter(({text}) => text === `${what} ${n}`).length
      if (answers !== (state === "handled" ? 1 : 0) && !this.wasRestored) fault(`is ${state}, with ${answers} answers`)
    }
  }

  #judgeMessage({text: said, state, endpoint, created_at: from, ended_at: endedAt}: Row): void {
    const text = String(said)
    const arrival = this.arrivals.find(each => each.text === text && each.place.endpoint === endpoint)
    const fault = (what: string) => void this.faults.push(`${text} to ${endpoint} ${what}`)
    if (!ends.includes(String(state))) fault(`is ${state} in the end`)
    if (state === "sent" && arrival === undefined) fault("is sent, and never arrived")
    const place = this.#placeOf(endpoint)
    const limit = (place && this.#limitOf(place, text, false)) ?? Number(from) + (place?.maxAge ?? Infinity)
    if (state === "expired" && !this.wasSetBack && !(Number(endedAt) >= limit))
      fault(`expired at ${endedAt}, before its limit of ${limit}`)
  }
}

const ends = ["handled", "sent", "expired", "held", "failed", "dead", "unknown", "discarded"]

/** Is it something that a handler or the bot says, and not a notice? */
const isAnswer = (text: string): boolean => /^[a-z]+ \d+$/.test(text)

/** Returns the first word that a handler says, from its id: `root/bot/command/open`. */
const whatOf = (handler: string): string => {
  const [, , kind, name = ""] = handler.split("/")
  return kind === "handler" ? "heard" : name
}
