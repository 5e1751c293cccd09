import {createHash} from "node:crypto"

/** Returns 64 hexadecimal digits. */
export const hashOf = (...parts: readonly (string | Uint8Array)[]): string => {
  const sum = createHash("sha256")
  for (const [index, part] of parts.entries()) sum.update(index === 0 ? "" : "\0").update(part)
  return sum.digest("hex")
}

/** A topic may be longer than a cursor. */
const keyOf = (topic: string): string => hashOf(topic).slice(0, 16)

/** The number of topics whose values are stored. */
const mostTopics = 256

interface Stored {
  readonly clientId: string
  readonly filters: readonly string[]
  readonly values?: Readonly<Record<string, string>>
}

/**
 * What the endpoint's cursor stores: the filters that the broker may have in the client's session, which lasts beyond a
 * connection, and the newest values of topics, as hashes.
 */
export class Place {
  /** The client and its filters when this connection began; undefined for a new endpoint. */
  readonly before: Stored | undefined
  readonly #clientId: string
  #filters: readonly string[]
  readonly #values: Map<string, string>

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

  valueOf(topic: string): string | undefined {
    return this.#values.get(keyOf(topic))
  }

  /** Returns the cursor with a topic's value. Later cursors have it after `note`. */
  noting(topic: string, value: string): string {
    return this.#write(new Map(this.#values).set(keyOf(topic), value))
  }

  note(topic: string, value: string): void {
    this.#values.delete(keyOf(topic))
    this.#values.set(keyOf(topic), value)
    const [oldest] = this.#values.keys()
    if (this.#values.size > mostTopics && oldest !== undefined) this.#values.delete(oldest)
  }

  #write(values: ReadonlyMap<string, string>): string {
    return JSON.stringify({
      clientId: this.#clientId,
      filters: this.#filters,
      values: Object.fromEntries(values),
    } satisfies Stored)
  }
}

const read = (cursor: string | undefined): Stored | undefined => {
  try {
    return cursor === undefined ? undefined : (JSON.parse(cursor) as Stored)
  } catch {
    return undefined
  }
}
