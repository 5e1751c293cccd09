import {genesis, type Head, parseRecord, sealOf} from "./record.ts"

const endPattern = /,"item":(\d+),"prevHash":"([0-9a-f]{64})","seq":(\d+),"hash":"[0-9a-f]{64}"\}$/

/** The longest end of a record's text that the pattern can match. */
const longestEnd = 240

/**
 * Checks the texts of a Journal's records in order, mostly without parsing them. Each record has the next number, the
 * hash of the record before it, and its own hash.
 */
export class Chain {
  #seq = 0
  #hash: string
  #authority: string

  /** Starts at the beginning, under an authority, or at a head that was checked earlier. */
  constructor(authority: string, from?: Head) {
    this.#authority = authority
    this.#seq = from?.seq ?? 0
    this.#hash = from?.hash ?? genesis(authority)
  }

  get head(): Head {
    return {seq: this.#seq, hash: this.#hash}
  }

  /** The authority of the newest record. */
  get authority(): string {
    return this.#authority
  }

  /** Returns what is wrong with the text of the next record; if nothing is, moves the head to it. */
  take(text: string): string | undefined {
    const found = endPattern.exec(text.slice(-longestEnd))
    if (found === null) return "it is not a record"
    const [, item, prevHash, seq] = found
    if (Number(seq) !== this.#seq + 1) return `it has the number ${seq}`
    if (prevHash !== this.#hash) {
      return this.#seq === 0
        ? `it did not begin under the authority ${this.#authority}`
        : "it does not follow the record before it"
    }
    const digest = sealOf(text)
    if (digest === undefined) return "its hash does not match its content"
    if (item === "0" && !this.#changeAuthority(text)) return "it comes from another authority"
    this.#seq += 1
    this.#hash = digest
    return undefined
  }

  #changeAuthority(text: string): boolean {
    const {command} = parseRecord(text)
    if (command.is !== "authority" || command.from !== this.#authority) return false
    this.#authority = command.to
    return true
  }
}
