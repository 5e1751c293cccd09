import {genesis, type Head, parseRecord, sealOf} from "./record.ts"

const endPattern = /,"item":(\d+),"prevHash":"([0-9a-f]{64})","seq":(\d+),"hash":"[0-9a-f]{64}"\}$/

/** The longest end of a record's text that the pattern can fit. */
const longestEnd = 240

/**
 * Checks the texts of a Journal's records one after another, mostly without parsing them: each is numbered one above the
 * record before it, names its hash, and bears the hash of itself.
 */
export class Chain {
  #seq = 0
  #hash: string
  #authority: string

  /** From its beginning, under an authority; or from a head that was checked before. */
  constructor(authority: string, from?: Head) {
    this.#authority = authority
    this.#seq = from?.seq ?? 0
    this.#hash = from?.hash ?? genesis(authority)
  }

  get head(): Head {
    return {seq: this.#seq, hash: this.#hash}
  }

  /** The one that the newest record stands under. */
  get authority(): string {
    return this.#authority
  }

  /** Says what is wrong with the text of the next record; takes it where nothing is. */
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
    if (digest === undefined) return "its hash is not that of what it says"
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
