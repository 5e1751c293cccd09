import {closeSync, openSync, writeSync} from "node:fs"
import {messageOf} from "../../../../shared/problems.ts"
import type {Mask} from "../../../runtime/logs/mask.ts"

/** The most characters of a step's output that its file keeps. */
const most = 32 * 1024 * 1024

/** The length of the end that is shown and recorded. */
const tailLines = 30
const tailLength = 4000

/** The output of a step, without the values of secrets. A file that only its owner may read keeps it; the end is in memory. */
export class StepOutput {
  readonly #mask: Mask
  #handle: number | undefined
  #pending = ""
  #tail = ""
  #written = 0
  #failure: string | undefined

  /** Starts a new file, and replaces an existing one. */
  constructor(file: string, mask: Mask) {
    this.#mask = mask
    this.#attempt(() => {
      this.#handle = openSync(file, "w", 0o600)
    })
  }

  readonly add = (text: string): void => {
    // A secret may arrive in two pieces, so the length of the longest one is held back.
    const hidden = this.#mask.text(this.#pending + text)
    const kept = Math.min(hidden.length, this.#mask.reach)
    this.#pending = hidden.slice(hidden.length - kept)
    this.#write(hidden.slice(0, hidden.length - kept))
  }

  /** Closes the file. Returns the end of the output, and why the file is incomplete if it is. */
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
