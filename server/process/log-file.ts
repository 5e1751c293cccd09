import {closeSync, openSync, writeSync} from "node:fs"
import {messageOf, Problem} from "../../shared/problems.ts"

/** A line longer than this is written in parts, in characters. */
const longestLine = 1024 * 1024

/** A log file of whole lines, which a rotation may rename: then it is reopened. */
export class LogFile {
  readonly #path: string
  #descriptor: number

  /** Throws `state_unwritable` where it cannot be opened. */
  constructor(path: string) {
    this.#path = path
    this.#descriptor = openLog(path)
  }

  /** A full disk loses lines; nothing waits for it. */
  write(text: string): void {
    try {
      writeSync(this.#descriptor, text)
    } catch {
      // There is nowhere else to tell it.
    }
  }

  /** From now on into the file that has the name, made where there is none. Throws `state_unwritable`, and keeps the old one. */
  reopen(): void {
    const old = this.#descriptor
    this.#descriptor = openLog(this.#path)
    closeSync(old)
  }

  /** Takes a stream's text as it comes; writes it line by line, so that no line is torn by a rotation. */
  lines(): {write(text: string): void; end(): void} {
    let rest = ""
    return {
      write: text => {
        rest += text
        const end = rest.length > longestLine ? rest.length : rest.lastIndexOf("\n") + 1
        if (end > 0) this.write(rest.slice(0, end))
        rest = rest.slice(end)
      },
      end: () => {
        if (rest !== "") this.write(`${rest}\n`)
        rest = ""
      },
    }
  }
}

/** Opened for appending, made where there is none, for its owner only. Throws `state_unwritable`. */
export const openLog = (path: string): number => {
  try {
    return openSync(path, "a", 0o600)
  } catch (cause) {
    throw new Problem("state_unwritable", `cannot write ${path}: ${messageOf(cause)}`, {
      cause,
      hint: "Name a file in a folder that is there and may be written: --log-file.",
    })
  }
}
