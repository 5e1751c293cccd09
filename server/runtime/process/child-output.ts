import type {ChildProcess} from "node:child_process"
import {setTimeout as sleep} from "node:timers/promises"

/** How long output may still come once the child has ended, in milliseconds: what it left running may hold the pipe. */
const lastWords = 500

/** Call it before the child can end; what it returns, called once it has ended, resolves when all that it printed was read. */
export const readingOutput = (child: ChildProcess): (() => Promise<void>) => {
  const closed = new Promise<void>(resolve => child.once("close", () => resolve()))
  const part = () => sleep(lastWords / 2, undefined, {ref: false})
  // In two parts: where this process stands still for one of them, what has come is read in the other.
  return () => Promise.race([closed, part().then(part)])
}
