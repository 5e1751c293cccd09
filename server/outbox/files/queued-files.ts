import {Problem} from "../../../shared/problems.ts"
import type {OutboxDraft} from "../draft.ts"
import {hasMarkdown, readMarkdown} from "../read-markdown.ts"
import {type DraftFiles, hasFiles} from "./draft-files.ts"
import type {Lease} from "./lease.ts"

/**
 * The queue of a handler or a run, in its order, while files are being stored. A draft takes its place when it is
 * queued. Its files are stored once `settled` has resolved.
 */
export class QueuedFiles {
  readonly #files: DraftFiles | undefined
  readonly #sends: OutboxDraft[]
  readonly #signal: AbortSignal
  readonly #pending = new Set<Promise<unknown>>()
  #lease: Lease | undefined

  /** `signal` is aborted when the time of the handler or the run ends, which also ends its fetches. */
  constructor(files: DraftFiles | undefined, sends: OutboxDraft[], signal: AbortSignal) {
    this.#files = files
    this.#sends = sends
    this.#signal = signal
  }

  /** Queues a draft. Resolves to its id once its files are durable. If they cannot be stored, removes the draft. */
  async queue(draft: OutboxDraft): Promise<string> {
    this.#sends.push(draft)
    if (!hasFiles(draft) && !hasMarkdown(draft)) return draft.id
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

  /** Returns the draft with durable files and without Markdown. Throws the errors of `DraftFiles.store`. */
  async store(queued: OutboxDraft): Promise<OutboxDraft> {
    const draft = await readMarkdown(queued)
    if (!hasFiles(draft)) return draft
    if (this.#files === undefined) throw new Problem("unsupported", "only a running Host can send files")
    this.#lease ??= this.#files.lease()
    return this.#files.store(draft, this.#lease, this.#signal)
  }

  /** Resolves once no file is being stored. */
  async idle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending)
  }

  get isSettled(): boolean {
    return this.#pending.size === 0
  }

  /** Releases the stored files: rows need them now, or nothing does. */
  release(): void {
    this.#lease?.release()
  }
}
