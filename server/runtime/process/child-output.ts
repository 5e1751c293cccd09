import type {ChildProcess} from "node:child_process"
import {setTimeout as sleep} from "node:timers/promises"

/** How long to read output of an ended child, in milliseconds: processes that it left behind may hold the pipe. */
const lastWords = 500

/** Call it before the child can end, and the result once it has: that resolves when all output was read. */
export const readingOutput = (child: ChildProcess): (() => Promise<void>) => {
  const closed = new Promise<void>(resolve => child.once("close", () => resolve()))
  const part = () => sleep(lastWords / 2, undefined, {ref: false})
  // In two parts: if this process stands still during one of them, it reads the waiting output in the other.
  return () => Promise.race([closed, part().then(part)])
}
