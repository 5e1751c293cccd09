import type {Reader, Statement} from "../../database/database.ts"
import {hostOwner, keyTextOf, readState, type StateKey, storingState} from "../../database/state/plugin-state.ts"
import {BoundedMap} from "../../runtime/bounded-map.ts"

/** How often something may happen: this many calls at once, then one each `per` / `calls`. `per` is in milliseconds. */
export interface Rate {
  readonly calls: number
  readonly per: number
}

/** A rate, and whose calls count together. */
export interface Limit {
  readonly key: StateKey
  readonly rate: Rate
  /** Where a refusal is reported once. */
  readonly place: string
  /** When the call counts, in milliseconds since 1970; now when left out. */
  readonly since?: number
}

export type Turn =
  | {readonly is: "free"}
  /** `tell` is true if nobody has been told since the bucket was last full. */
  | {readonly is: "early"; readonly limit: Limit; readonly seconds: number; readonly tell: boolean}

/** One event that is counted. */
export interface Call {
  readonly sn: number
  /** A person had it run again: it counts, but is not refused. */
  readonly byPerson?: boolean | undefined
}

/** A token bucket, as the one number of the generic cell rate algorithm (ITU-T I.371). */
interface Bucket {
  /** When it is full again, in milliseconds since 1970. */
  at: number
  /** The latest counted time. */
  last: number
  /** When it last counted a call. */
  used: number
  /** The event that was told to wait, by place. */
  readonly told: Map<string, number>
}

/** The most remembered buckets of one name, and calls that a retry does not repeat. Above that, the oldest is forgotten. */
const remembered = 10_000

/** From this `per` on, buckets survive a restart, in milliseconds. */
const durableFrom = 60_000

/** How long a full bucket is kept after its last call, in milliseconds: events of a backlog count at earlier times. */
const keptFull = 60_000

const isDurable = ({rate}: Limit): boolean => rate.per >= durableFrom
const intervalOf = ({calls, per}: Rate): number => Math.max(1, Math.floor(per / calls))

/** Returns the key of whose calls count together. The subject is empty for everyone. */
export const bucketKey = (scope: StateKey["scope"], name: string, endpoint: string, subject: string): StateKey => ({
  plugin: hostOwner,
  scope,
  name,
  ...(scope === "plugin" ? {endpoint: "", subject: ""} : {endpoint, subject}),
})

/** Token buckets. A reload keeps all of them, a restart those of a minute or more, which are rows of users' state. */
export class Buckets {
  readonly #now: () => number
  readonly #database: Reader | undefined
  readonly #known = new Map<string, BoundedMap<string, Bucket>>()
  readonly #counted = new BoundedMap<string, true>(remembered)

  /** `now` returns milliseconds since 1970. Without a database, a restart keeps no bucket. */
  constructor(now: () => number, database?: Reader) {
    this.#now = now
    this.#database = database
  }

  /** Counts a call in all buckets, or in none if one of them refuses it. A call that is handled again counts once. */
  async take(limits: readonly Limit[], call: Call): Promise<Turn> {
    await Promise.all(limits.filter(isDurable).map(limit => this.#load(limit)))
    const uncounted = limits.filter(limit => !this.#counted.has(countedKey(limit, call)))
    const found = uncounted.map(limit => this.#look(limit))
    const refusing = call.byPerson === true ? undefined : found.find(({early}) => early > 0)
    if (refusing !== undefined) return refusal(refusing, call, this.#now())
    for (const {limit, bucket, at} of found) {
      const {rate, key} = limit
      bucket.at = Math.min(Math.max(bucket.at, at) + intervalOf(rate), at + rate.per)
      bucket.last = at
      bucket.used = this.#now()
      // Again, to make it the newest.
      this.#of(key).set(keyTextOf(key), bucket)
      this.#counted.set(countedKey(limit, call), true)
      forgetFull(this.#of(key), this.#now())
    }
    return {is: "free"}
  }

  /** Returns what a restart needs: for the batch that stores the end of the call. */
  storing(limits: readonly Limit[]): readonly Statement[] {
    return limits.filter(isDurable).flatMap(({key}) => {
      const bucket = this.#of(key).get(keyTextOf(key))
      return bucket === undefined || this.#database === undefined ? [] : [storingState(key, String(bucket.at))]
    })
  }

  async #load({key, rate}: Limit): Promise<void> {
    const text = keyTextOf(key)
    if (this.#database === undefined || this.#of(key).has(text)) return
    const {value} = await readState(this.#database, key)
    if (value === undefined || this.#of(key).has(text)) return
    this.#of(key).set(text, {
      at: Number(value),
      last: Number(value) - intervalOf(rate),
      used: this.#now(),
      told: new Map(),
    })
  }

  /** Finds a limit's bucket, and how much too early the call is, in milliseconds. */
  #look(limit: Limit) {
    const {key, rate, since} = limit
    const now = this.#now()
    const text = keyTextOf(key)
    const bucket = this.#of(key).get(text) ?? {at: 0, last: 0, used: 0, told: new Map()}
    // Not before the latest: events of several channels do not come in the order of their times.
    const at = Math.min(now, Math.max(since ?? now, bucket.last))
    // The clock may have been set back.
    bucket.at = Math.min(bucket.at, at + rate.per)
    if (bucket.at <= at) bucket.told.clear()
    return {limit, bucket, at, early: bucket.at - at - (rate.per - intervalOf(rate))}
  }

  #of({scope, name}: StateKey): BoundedMap<string, Bucket> {
    const kind = `${scope} ${name}`
    const known = this.#known.get(kind) ?? new BoundedMap<string, Bucket>(remembered)
    this.#known.set(kind, known)
    return known
  }
}

const countedKey = ({key: {scope, name}}: Limit, {sn}: Call): string => `${sn} ${scope} ${name}`

const refusal = (
  {limit, bucket, early, at}: {limit: Limit; bucket: Bucket; early: number; at: number},
  {sn}: Call,
  now: number,
): Turn => {
  const told = bucket.told.get(limit.place)
  if (told === undefined) bucket.told.set(limit.place, sn)
  const seconds = Math.max(1, Math.ceil((at + early - now) / 1000))
  return {is: "early", limit, seconds, tell: told === undefined || told === sn}
}

/** Deletes full buckets. The ones that were used the longest ago come first, and usually fill first. */
const forgetFull = (buckets: Map<string, Bucket>, now: number): void => {
  for (const [key, {at, used}] of buckets) {
    if (at > now || used + keptFull > now) return
    buckets.delete(key)
  }
}
