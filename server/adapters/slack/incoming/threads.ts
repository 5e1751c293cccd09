/** So many messages are known with their thread. */
const kept = 10_000

/** Which messages are in which thread: reactions and deletions do not tell. */
export class Threads {
  readonly #of = new Map<string, string>()

  learn(channel: string, ts: string, thread: string | undefined): void {
    if (thread === undefined) return
    this.#of.set(`${channel}/${ts}`, thread)
    const [oldest] = this.#of.keys()
    if (this.#of.size > kept && oldest !== undefined) this.#of.delete(oldest)
  }

  /** Undefined for a message in no thread, and for one that is not known. */
  of(channel: string, ts: string): string | undefined {
    return this.#of.get(`${channel}/${ts}`)
  }
}
