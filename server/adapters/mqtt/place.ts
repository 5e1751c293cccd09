import {createHash} from "node:crypto"

/** Returns 64 hexadecimal digits. */
export const hashOf = (...parts: readonly (string | Uint8Array)[]): string => {
  const sum = createHash("sha256")
  for (const [index, part] of parts.entries()) sum.update(index === 0 ? "" : "\0").update(part)
  return sum.digest("hex")
}

/** A topic may be longer than a cursor. */
const keyOf = (subject: string): string => hashOf(subject).slice(0, 16)

/** How many values are stored, and how many more are kept in memory. */
const most = {stored: 256, known: 10_000} as const

interface Stored {
  readonly clientId: string
  readonly filters: readonly string[]
  readonly values?: Readonly<Record<string, string>>
}

/**
 * What the endpoint's cursor stores: the filters that the broker may have in the client's session, which lasts beyond a
 * connection, and the newest values of subjects. A subject is a topic, or a sender's id in a topic.
 */
export class Place {
  /** The client and its filters when this connection began; undefined for a new endpoint. */
  readonly before: Stored | undefined
  readonly #clientId: string
  #filters: readonly string[]
  readonly #values: Map<string, string>
  readonly #known = new Map<string, string>()

  constructor(cursor: string | undefined, clientId: string) {
    this.before = read(cursor)
    this.#clientId = clientId
    this.#filters = this.before?.filters ?? []
    this.#values = new Map(Object.entries(this.before?.values ?? {}))
  }

  /** Returns the cursor with these filters, which later cursors have too. */
  subscribed(filters: readonly string[]): string {
    this.#filters = filters
    return this.#write(this.#values)
  }

  valueOf(subject: string): string | undefined {
    const key = keyOf(subject)
    return this.#values.get(key) ?? this.#known.get(key)
  }

  /** Returns the cursor with a subject's value. Later cursors have it after `note`. */
  noting(subject: string, value: string): string {
    return this.#write(new Map(this.#values).set(keyOf(subject), value))
  }

  /** Notes a value, which later cursors have too if it is stored. */
  note(subject: string, value: string, isStored: boolean): void {
    setNewest(this.#known, keyOf(subject), value, most.known)
    if (isStored) setNewest(this.#values, keyOf(subject), value, most.stored)
  }

  #write(values: ReadonlyMap<string, string>): string {
    return JSON.stringify({
      clientId: this.#clientId,
      filters: this.#filters,
      values: Object.fromEntries(values),
    } satisfies Stored)
  }
}

const setNewest = (values: Map<string, string>, key: string, value: string, limit: number): void => {
  values.delete(key)
  values.set(key, value)
  const [oldest] = values.keys()
  if (values.size > limit && oldest !== undefined) values.delete(oldest)
}

const read = (cursor: string | undefined): Stored | undefined => {
  try {
    return cursor === undefined ? undefined : (JSON.parse(cursor) as Stored)
  } catch {
    return undefined
  }
}
