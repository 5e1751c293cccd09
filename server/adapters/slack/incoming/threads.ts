/** The number of messages whose thread is remembered. */
const kept = 10_000

/** The threads of messages, because reactions and deletions do not name them. */
export class Threads {
  readonly #of = new Map<string, string>()

  learn(channel: string, ts: string, thread: string | undefined): void {
    if (thread === undefined) return
    this.#of.set(`${channel}/${ts}`, thread)
    const [oldest] = this.#of.keys()
    if (this.#of.size > kept && oldest !== undefined) this.#of.delete(oldest)
  }

  /** Returns undefined for a message outside any thread, and for an unknown one. */
  of(channel: string, ts: string): string | undefined {
    return this.#of.get(`${channel}/${ts}`)
  }
}
