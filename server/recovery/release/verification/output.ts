import {closeSync, openSync, writeSync} from "node:fs"
import {messageOf} from "../../../../shared/problems.ts"
import type {Mask} from "../../../logs/mask.ts"

/** A file holds so many characters of a step at most. */
const most = 32 * 1024 * 1024

/** The end of it that is shown and recorded. */
const tailLines = 30
const tailLength = 4000

/** What a step prints: all of it in a file that only its owner may read, without the values of secrets; its end at hand. */
export class StepOutput {
  readonly file: string
  readonly #mask: Mask
  #handle: number | undefined
  #pending = ""
  #tail = ""
  #written = 0
  #failure: string | undefined

  /** Replaces the file. */
  constructor(file: string, mask: Mask) {
    this.file = file
    this.#mask = mask
    this.#attempt(() => {
      this.#handle = openSync(file, "w", 0o600)
    })
  }

  readonly add = (text: string): void => {
    // A value may come in two pieces: so much is held back as the longest one has.
    const hidden = this.#mask.text(this.#pending + text)
    const kept = Math.min(hidden.length, this.#mask.reach)
    this.#pending = hidden.slice(hidden.length - kept)
    this.#write(hidden.slice(0, hidden.length - kept))
  }

  /** Resolves nothing more; the end of what was printed, and why the file is not whole. */
  end(): {readonly tail: string; readonly failure: string | undefined} {
    this.#write(this.#pending)
    this.#pending = ""
    if (this.#handle !== undefined) closeSync(this.#handle)
    this.#handle = undefined
    return {tail: this.#tail.trimEnd().split("\n").slice(-tailLines).join("\n"), failure: this.#failure}
  }

  #write(text: string): void {
    if (text === "") return
    this.#tail = (this.#tail + text).slice(-tailLength)
    const room = most - this.#written
    if (this.#handle === undefined || room <= 0) return
    this.#written += text.length
    const handle = this.#handle
    this.#attempt(() => void writeSync(handle, text.length > room ? `${text.slice(0, room)}\n[cut]\n` : text))
  }

  #attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#failure ??= messageOf(error)
    }
  }
}
