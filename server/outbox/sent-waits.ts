import {setTimeout as sleep} from "node:timers/promises"
import {toJson} from "../../shared/json.ts"
import {Problem} from "../../shared/problems.ts"
import type {SentMessage} from "../../shared/sdk/plugin/plugin.ts"
import type {Database} from "../database/database.ts"
import {readMessage} from "./rows.ts"

/** How long to gather commits before a look, in milliseconds. */
const together = 20

const open: readonly string[] = ["scheduled", "queued", "sending"]

const selectOpen = `SELECT id FROM outbox WHERE id IN (SELECT value FROM json_each(?)) AND state IN ('${open.join("', '")}')`

/** Waits in memory for the ends of messages. Behind commits, one read looks at all that are waited for. */
export class SentWaits {
  readonly #database: Pick<Database, "read" | "observe">
  readonly #waiting = new Map<string, Set<() => void>>()
  #isBehind = false
  #isLooking = false

  constructor(database: Pick<Database, "read" | "observe">) {
    this.#database = database
    database.observe({committed: () => this.#committed()})
  }

  /** Resolves to a message once it waits no more. Throws `outbox_unknown`, or the reason of an aborted signal. */
  async until(id: string, signals: readonly AbortSignal[]): Promise<SentMessage> {
    const aborted = Promise.withResolvers<never>()
    aborted.promise.catch(() => {})
    const abort = () => aborted.reject(signals.find(signal => signal.aborted)?.reason)
    for (const signal of signals) signal.addEventListener("abort", abort)
    try {
      for (;;) {
        for (const signal of signals) signal.throwIfAborted()
        const ended = this.#next(id)
        try {
          const message = await readMessage(this.#database, id)
          if (message === undefined) throw new Problem("outbox_unknown", `there is no outbox message ${id}`)
          if (!open.includes(message.state)) return message
          await Promise.race([ended.promise, aborted.promise])
        } finally {
          ended.leave()
        }
      }
    } finally {
      for (const signal of signals) signal.removeEventListener("abort", abort)
    }
  }

  #next(id: string) {
    const {promise, resolve} = Promise.withResolvers<void>()
    const all = this.#waiting.get(id) ?? new Set()
    this.#waiting.set(id, all.add(resolve))
    const leave = () => {
      all.delete(resolve)
      if (all.size === 0 && this.#waiting.get(id) === all) this.#waiting.delete(id)
    }
    return {promise, leave}
  }

  #committed(): void {
    if (this.#waiting.size === 0) return
    this.#isBehind = true
    if (!this.#isLooking) void this.#look()
  }

  async #look(): Promise<void> {
    this.#isLooking = true
    while (this.#isBehind) {
      await sleep(together)
      this.#isBehind = false
      // After a failure, the next commit brings another look.
      const rows = await this.#database.read(selectOpen, [toJson([...this.#waiting.keys()])]).catch(() => undefined)
      const still = rows && new Set(rows.map(({id}) => String(id)))
      if (still === undefined) continue
      for (const [id, all] of this.#waiting) if (!still.has(id)) for (const wake of all) wake()
    }
    this.#isLooking = false
  }
}
