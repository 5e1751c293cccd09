import type {AccountSettings} from "./account.ts"

/** Removes an account's secrets from a library's texts, because some addresses and errors contain a token. */
export class Veil {
  readonly #secrets: readonly string[]

  constructor({secrets}: Pick<AccountSettings, "secrets">) {
    const values = Object.values(secrets).map(secret => secret.reveal())
    this.#secrets = [...values, ...values.map(encodeURIComponent)]
  }

  text(text: string): string {
    return this.#secrets.reduce((shown, secret) => shown.replaceAll(secret, "[secret]"), text)
  }

  /** Returns an error's message and that of its first cause, in one line. */
  reason(error: unknown): string {
    let first = error
    while (first instanceof Error && first.cause instanceof Error) first = first.cause
    const said = [...new Set([error, first])].map(each => (each instanceof Error ? each.message || each.name : each))
    return this.text(said.join(": ")).replace(/\s+/g, " ").trim().slice(0, 300).toWellFormed()
  }

  /** Returns the value as plain JSON data. */
  data(value: unknown): unknown {
    const shown = JSON.stringify(value, (_, item) => {
      if (typeof item === "bigint") return String(item)
      return typeof item === "string" ? this.text(item) : item
    })
    return shown === undefined ? undefined : JSON.parse(shown)
  }
}
