import {shownInLine} from "../../shared/shown.ts"
import {pad, widthOf} from "./print.ts"

/** Shows the progress of long work in one line of a terminal. Prints nothing to other outputs. */
export class ProgressLine {
  readonly #output: NodeJS.WritableStream & {readonly isTTY?: boolean}
  #last = 0
  #shown = ""

  constructor(output: NodeJS.WritableStream) {
    this.#output = output
  }

  /** Shows a step with its done and total units, such as bytes. A total of 0 means unknown. */
  readonly show = (step: string, done: number, total: number): void => {
    if (this.#output.isTTY !== true) return
    const now = Date.now()
    if (this.#shown.startsWith(step) && now - this.#last < 100 && done < total) return
    this.#last = now
    this.#write(total > 0 ? `${step} ${Math.floor((done / total) * 100)} %` : done > 0 ? `${step} ${done}` : step)
  }

  clear(): void {
    if (this.#shown !== "") this.#write("")
  }

  #write(line: string): void {
    const text = shownInLine(line)
    this.#output.write(`\r${pad(text, widthOf(this.#shown))}${text === "" ? "\r" : ""}`)
    this.#shown = text
  }
}
