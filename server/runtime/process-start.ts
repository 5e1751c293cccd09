import {readFileSync} from "node:fs"

/**
 * Returns when a process started, in clock ticks since the machine's start: together with a pid it identifies a
 * process. Undefined if there is no such process, or no `/proc`.
 */
export const processStart = (pid: number): string | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The name in parentheses may contain anything. The fields from the third on follow it.
    return text.slice(text.lastIndexOf(")") + 2).split(" ")[19]
  } catch {
    return undefined
  }
}
