import {refused} from "../../../../shared/sdk/sdk.ts"
import type {AccountSettings} from "../mailbox/account.ts"

/** Counts answers to an address, in memory, so that two programs cannot answer each other forever. */
export class AnswerLimit {
  readonly #most: number
  readonly #minutes: number
  readonly #sent = new Map<string, readonly number[]>()

  constructor({answers = {}}: Pick<AccountSettings, "answers">) {
    this.#most = answers.most ?? 20
    this.#minutes = answers.minutes ?? 10
  }

  /** Throws a refusal if the address has received too many answers. Times are milliseconds of a monotonic clock. */
  require(address: string, now = performance.now()): void {
    if (this.#recent(address, now).length < this.#most) return
    throw refused(`${address} got ${this.#most} answers within ${this.#minutes} minutes`, {
      reason: "loop_suspected",
      remediation: "Check whether a program answers there. If a person does, raise answers.most in the account.",
    })
  }

  /** Counts a sent answer. */
  count(address: string, now = performance.now()): void {
    for (const each of this.#sent.keys()) if (this.#recent(each, now).length === 0) this.#sent.delete(each)
    this.#sent.set(address, [...this.#recent(address, now), now])
  }

  #recent(address: string, now: number): readonly number[] {
    return (this.#sent.get(address) ?? []).filter(at => now - at < this.#minutes * 60_000)
  }
}
