import {refused} from "../../../../shared/sdk/sdk.ts"
import type {AccountSettings} from "../account.ts"

/** Answers to an address, counted in memory: two machines that answer each other come to an end. */
export class AnswerLimit {
  readonly #most: number
  readonly #minutes: number
  readonly #sent = new Map<string, readonly number[]>()

  constructor({answers = {}}: Pick<AccountSettings, "answers">) {
    this.#most = answers.most ?? 20
    this.#minutes = answers.minutes ?? 10
  }

  /** Throws a refusal where the address got too many. Times are milliseconds of one clock that does not go back. */
  require(address: string, now = performance.now()): void {
    if (this.#recent(address, now).length < this.#most) return
    throw refused(`${address} got ${this.#most} answers within ${this.#minutes} minutes`, {
      reason: "loop_suspected",
      remediation: "Check whether a program answers there. If a person does, raise answers.most in the account.",
    })
  }

  /** An answer was sent. */
  count(address: string, now = performance.now()): void {
    for (const each of this.#sent.keys()) if (this.#recent(each, now).length === 0) this.#sent.delete(each)
    this.#sent.set(address, [...this.#recent(address, now), now])
  }

  #recent(address: string, now: number): readonly number[] {
    return (this.#sent.get(address) ?? []).filter(at => now - at < this.#minutes * 60_000)
  }
}
