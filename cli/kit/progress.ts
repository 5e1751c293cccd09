import {shownInLine} from "../../shared/shown.ts"
import {pad, widthOf} from "./print.ts"

/** Shows on a terminal how far long work is, in one line that is rewritten; anywhere else nothing. */
export class ProgressLine {
  readonly #output: NodeJS.WritableStream & {readonly isTTY?: boolean}
  #last = 0
  #shown = ""

  constructor(output: NodeJS.WritableStream) {
    this.#output = output
  }

  /** Bytes, or whatever is counted; 0 in all where that is not known. */
  readonly show = (step: string, done: number, total: number): void => {
    if (this.#output.isTTY !== true) return
    const now = Date.now()
    if (this.#shown.startsWith(step) && now - this.#last < 100 && done < total) return
    this.#last = now
    this.#write(total > 0 ? `${step} ${Math.floor((done / total) * 100)} %` : done > 0 ? `${step} ${done}` : step)
  }

  /** Takes the line away. */
  clear(): void {
    if (this.#shown !== "") this.#write("")
  }

  #write(line: string): void {
    const text = shownInLine(line)
    this.#output.write(`\r${pad(text, widthOf(this.#shown))}${text === "" ? "\r" : ""}`)
    this.#shown = text
  }
}
