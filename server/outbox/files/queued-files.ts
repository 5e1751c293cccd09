import {Problem} from "../../../shared/problems.ts"
import type {Lease} from "../../files/lease.ts"
import type {OutboxDraft} from "../draft.ts"
import {type DraftFiles, hasFiles} from "./draft-files.ts"

/**
 * What a handler or a run queues, in its order, while the files in it are being stored. A draft takes its place when it is queued,
 * and is there with its files once `settled` has resolved.
 */
export class QueuedFiles {
  readonly #files: DraftFiles | undefined
  readonly #sends: OutboxDraft[]
  readonly #signal: AbortSignal
  readonly #pending = new Set<Promise<unknown>>()
  #lease: Lease | undefined

  /** `signal` is aborted when the handler's or the run's time ends: what it fetches ends then. */
  constructor(files: DraftFiles | undefined, sends: OutboxDraft[], signal: AbortSignal) {
    this.#files = files
    this.#sends = sends
    this.#signal = signal
  }

  /** Queues a draft; resolves to its id once its files are durable. Where they cannot be stored it is taken back. */
  async queue(draft: OutboxDraft): Promise<string> {
    this.#sends.push(draft)
    if (!hasFiles(draft)) return draft.id
    const stored = this.store(draft)
    this.#pending.add(stored)
    const place = () => this.#sends.indexOf(draft)
    try {
      const ready = await stored
      this.#sends.splice(place(), 1, ready)
      return draft.id
    } catch (error) {
      this.#sends.splice(place(), 1)
      throw error
    } finally {
      this.#pending.delete(stored)
    }
  }

  /** The draft with its files durable. Throws what `DraftFiles.store` throws. */
  async store(draft: OutboxDraft): Promise<OutboxDraft> {
    if (!hasFiles(draft)) return draft
    if (this.#files === undefined) throw new Problem("unsupported", "files are sent by a running Host only")
    this.#lease ??= this.#files.lease()
    return this.#files.store(draft, this.#lease, this.#signal)
  }

  /** Resolves once nothing is being stored any more. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending)
  }

  get isSettled(): boolean {
    return this.#pending.size === 0
  }

  /** What was stored is needed by rows now, or by nothing. */
  release(): void {
    this.#lease?.release()
  }
}
