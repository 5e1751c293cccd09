import {genesis, type Head, parseRecord, sealOf} from "./record.ts"

const endPattern = /,"item":(\d+),"prevHash":"([0-9a-f]{64})","seq":(\d+),"hash":"[0-9a-f]{64}"\}$/

/** The longest end of a record's text that the pattern can match. */
const longestEnd = 240

/** Checks records in order, mostly unparsed: each has the next number, the previous record's hash, and its own. */
export class Chain {
  #head: Head
  /** The authority of the newest record. */
  #authority: string

  /** Starts at the beginning, under an authority, or at a head that was checked earlier. */
  constructor(authority: string, head: Head = {seq: 0, hash: genesis(authority)}) {
    this.#authority = authority
    this.#head = head
  }

  get head(): Head {
    return this.#head
  }

  /** Returns what is wrong with the text of the next record; if nothing is, moves the head to it. */
  take(text: string): string | undefined {
    const found = endPattern.exec(text.slice(-longestEnd))
    if (found === null) return "it is not a record"
    const [, item, prevHash, seq] = found
    const next = this.#head.seq + 1
    if (Number(seq) !== next) return `it has the number ${seq}`
    if (prevHash !== this.#head.hash) {
      return next === 1
        ? `it did not begin under the authority ${this.#authority}`
        : "it does not follow the record before it"
    }
    const digest = sealOf(text)
    if (digest === undefined) return "its hash does not match its content"
    if (item === "0" && !this.#changeAuthority(text)) return "it comes from another authority"
    this.#head = {seq: next, hash: digest}
    return undefined
  }

  #changeAuthority(text: string): boolean {
    const {command} = parseRecord(text)
    if (command.is !== "authority" || command.from !== this.#authority) return false
    this.#authority = command.to
    return true
  }
}
