import {fromJson, toJson} from "../../../shared/json.ts"

/** The counts in a span. */
export const countNames = ["received", "handled", "failed", "sent", "unsent"] as const

export type Counts = Readonly<Record<(typeof countNames)[number], number>>

/** How many seconds an endpoint spent in each state. */
export type StateSeconds = Readonly<Record<string, number>>

/** What happened in a minute or an hour. */
export interface Sample extends Counts {
  /** How many seconds of it the Host ran. */
  readonly ran: number
  /** How long handlers took: a count for each of `secondsBuckets`, then for longer ones. */
  readonly handlers: readonly number[]
  /** The same for group commits. */
  readonly commits: readonly number[]
  /** The longest delay of an event loop timer, in milliseconds. */
  readonly delay: number
  /** The size of the database on its disk at the end; 0 if unknown. */
  readonly bytes: number
  /** Resident memory of the process at the end, in bytes. */
  readonly memory: number
  readonly endpoints: Readonly<Record<string, StateSeconds>>
  /** The same for the subjects of the status page, by their key. */
  readonly subjects: Readonly<Record<string, StateSeconds>>
}

/** Returns what `of` says of each count. */
export const countsOf = (of: (name: keyof Counts) => number): Counts =>
  Object.fromEntries(countNames.map(name => [name, of(name)])) as Counts

export const emptySample: Sample = {
  ...countsOf(() => 0),
  ran: 0,
  handlers: [],
  commits: [],
  delay: 0,
  bytes: 0,
  memory: 0,
  endpoints: {},
  subjects: {},
}

/** Merges two spans; `later` is the later one. */
export const merge = (one: Sample, later: Sample): Sample => ({
  ...countsOf(name => one[name] + later[name]),
  ran: one.ran + later.ran,
  handlers: addEach(one.handlers, later.handlers),
  commits: addEach(one.commits, later.commits),
  delay: Math.max(one.delay, later.delay),
  bytes: later.bytes || one.bytes,
  memory: later.memory || one.memory,
  endpoints: mergeStates(one.endpoints, later.endpoints),
  subjects: mergeStates(one.subjects, later.subjects),
})

const mergeStates = (one: Sample["endpoints"], later: Sample["endpoints"]): Sample["endpoints"] =>
  mergeEach(one, later, (states, more) => mergeEach(states, more, (a, b) => a + b))

const addEach = (one: readonly number[], other: readonly number[]): readonly number[] =>
  Array.from({length: Math.max(one.length, other.length)}, (_, index) => (one[index] ?? 0) + (other[index] ?? 0))

const mergeEach = <V>(
  one: Readonly<Record<string, V>>,
  other: Readonly<Record<string, V>>,
  both: (value: V, more: V) => V,
): Readonly<Record<string, V>> => {
  const merged = {...one}
  for (const [key, value] of Object.entries(other)) {
    // An endpoint may be named `constructor`.
    const known = Object.hasOwn(merged, key) ? merged[key] : undefined
    merged[key] = known === undefined ? value : both(known, value)
  }
  return merged
}

/** Returns the text of a sample. Leaves out zeros and empty values: an idle Host stores little. */
export const sampleText = (sample: Sample): string =>
  toJson(Object.fromEntries(Object.entries(sample).filter(([, value]) => !isNothing(value))))

/** Parses the format of `sampleText`. */
export const sampleOf = (text: string): Sample => ({...emptySample, ...(fromJson(text) as Partial<Sample>)})

const isNothing = (value: Sample[keyof Sample]): boolean =>
  typeof value === "number" ? value === 0 : Object.values(value).length === 0
