import {readFileSync} from "node:fs"

/**
 * When a process started, in clock ticks since the machine's start: with it, a pid says which process it was. Undefined
 * where there is no such process, or no `/proc` that tells.
 */
export const processStart = (pid: number): string | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The name in parentheses may hold anything; what follows it are the fields from the third on.
    return text.slice(text.lastIndexOf(")") + 2).split(" ")[19]
  } catch {
    return undefined
  }
}
