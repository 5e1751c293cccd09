import {closeSync, openSync, writeSync} from "node:fs"
import {messageOf, Problem} from "../../../shared/problems.ts"

/** The length above which a line is written in parts, in characters. */
const longestLine = 1024 * 1024

/** A log file of whole lines. After a rotation has renamed it, call `reopen`. */
export class LogFile {
  readonly #path: string
  #descriptor: number

  /** Throws `state_unwritable` if the file cannot be opened. */
  constructor(path: string) {
    this.#path = path
    this.#descriptor = openLog(path)
  }

  /** Writes at once. A full disk loses lines. */
  write(text: string): void {
    try {
      writeSync(this.#descriptor, text)
    } catch {
      // There is no other place to report it.
    }
  }

  /** Continues in the file that has the path now, and creates it if needed. Throws `state_unwritable` and keeps the old one. */
  reopen(): void {
    const old = this.#descriptor
    this.#descriptor = openLog(this.#path)
    closeSync(old)
  }

  /** Returns a writer for the text of a stream. It writes whole lines, so that no rotation tears a line. */
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

/** Opens a log for appending, and creates it for its owner only if needed. Throws `state_unwritable`. */
export const openLog = (path: string): number => {
  try {
    return openSync(path, "a", 0o600)
  } catch (cause) {
    throw new Problem("state_unwritable", `cannot write ${path}: ${messageOf(cause)}`, {
      cause,
      hint: "Use --log-file to name a file in an existing folder that svc may write to.",
    })
  }
}
