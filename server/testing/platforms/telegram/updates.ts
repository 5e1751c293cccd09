import {setTimeout as sleep} from "node:timers/promises"
import {until} from "../../asking.ts"
import type {Fields} from "./form.ts"

export type Update = Fields & {readonly update_id: number}

/** Kinds of updates that Telegram sends only on request. */
const onlyNamed: ReadonlySet<string> = new Set(["message_reaction", "message_reaction_count", "chat_member"])

/** The Bot API's pending updates: each stays until a poll's offset is higher, or the webhook has answered 2xx. */
export class Updates {
  #waiting: Update[] = []
  #again: readonly Update[] = []
  #last: Update | undefined
  #endPoll: ((how: "updates" | "conflict" | "time") => void) | undefined
  #webhook: {readonly url: string; readonly secret: string} | undefined
  #isPosting = false
  #allowed: readonly string[] | undefined
  #next = 1
  polls = 0
  /** The webhook's answers, in order; 0 for none. */
  readonly answers: number[] = []

  get webhook(): string {
    return this.#webhook?.url ?? ""
  }

  get allowed(): readonly string[] | undefined {
    return this.#allowed
  }

  get waiting(): readonly number[] {
    return this.#waiting.map(({update_id}) => update_id)
  }

  /** Adds updates together; returns their ids. Leaves out kinds that the bot has not requested. */
  add(...fields: readonly Fields[]): readonly number[] {
    const fresh = fields.map(each => ({update_id: this.#next++, ...each}))
    this.#waiting.push(...fresh.filter(update => Object.keys(update).every(kind => this.#isAllowed(kind))))
    this.#last = this.#waiting.at(-1) ?? this.#last
    this.#endPoll?.("updates")
    void this.#post()
    return fresh.map(({update_id}) => update_id)
  }

  /** Resolves once the bot has confirmed these updates. Rejects after `limit` milliseconds. */
  async confirmed(ids: readonly number[], limit = 30_000): Promise<void> {
    await until("the bot to poll", limit, () => !this.waiting.some(id => ids.includes(id)))
  }

  /** Delivers the last update again. */
  repeat(): void {
    const last = this.#last
    if (last === undefined) return
    if (this.#webhook === undefined) this.#again = [last]
    else this.#waiting.push(last)
    this.#endPoll?.("updates")
    void this.#post()
  }

  setWebhook(url: string, secret: string): void {
    this.#webhook = url === "" ? undefined : {url, secret}
    this.#endPoll?.("conflict")
    void this.#post()
  }

  /** An empty list requests the usual kinds; undefined keeps the current ones. */
  allow(kinds: unknown): void {
    const named = typeof kinds === "string" ? JSON.parse(kinds) : kinds
    if (Array.isArray(named)) this.#allowed = named.length === 0 ? undefined : named.map(String)
  }

  /** The pending updates from an offset on, after at most `timeout` seconds; undefined if another poll took over. */
  async poll(offset: number, timeout: number): Promise<readonly Update[] | undefined> {
    this.polls++
    this.#endPoll?.("conflict")
    this.#waiting = this.#waiting.filter(({update_id}) => update_id >= offset)
    if (this.#waiting.length + this.#again.length === 0 && timeout > 0) {
      const ended = await new Promise<"updates" | "conflict" | "time">(resolve => {
        // Shorter than Telegram's, so that a test need not wait for it at its end.
        const timer = setTimeout(resolve, Math.min(timeout, 2) * 1000, "time")
        this.#endPoll = how => {
          clearTimeout(timer)
          resolve(how)
        }
      })
      if (ended === "conflict") return undefined
      this.#endPoll = undefined
    }
    const found = [...this.#again, ...this.#waiting].slice(0, 100)
    this.#again = []
    return found
  }

  #isAllowed(kind: string): boolean {
    if (kind === "update_id") return true
    return this.#allowed === undefined ? !onlyNamed.has(kind) : this.#allowed.includes(kind)
  }

  /** Posts the updates to the webhook one after another, each until it is accepted. */
  async #post(): Promise<void> {
    if (this.#isPosting) return
    this.#isPosting = true
    for (let next = this.#waiting[0]; next !== undefined && this.#webhook !== undefined; next = this.#waiting[0]) {
      const {url, secret} = this.#webhook
      const headers = {"content-type": "application/json", "x-telegram-bot-api-secret-token": secret}
      const answer = await fetch(url, {method: "POST", headers, body: JSON.stringify(next)}).catch(() => undefined)
      const status = answer?.status ?? 0
      this.answers.push(status)
      if (status === 200) this.#waiting.shift()
      else await sleep(50)
    }
    this.#isPosting = false
  }
}
