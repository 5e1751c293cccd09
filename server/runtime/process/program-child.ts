import {spawn} from "node:child_process"
import {constants, setPriority} from "node:os"

/**
 * A process of its own that runs a program for `runProgram`, in a process group of its own. Once its standard input ends,
 * whoever started it wants the end or has died, however it died, and all of the group ends; so does what the program left
 * running. Arguments: folder, program, its arguments.
 */
const [folder = "", command = "", ...args] = process.argv.slice(2)

/** What the group gets to end by itself, in milliseconds. */
const grace = 2000

// A terminal sends its Ctrl-C to everyone; whoever started this says when to end.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {})

try {
  // Beside a running Host, the Host goes first.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
} catch {
  // Then they share.
}

// Both of its streams are one, so that what it says keeps its order.
const child = spawn(command, args, {cwd: folder, stdio: ["ignore", 1, 1], detached: true})

const endGroup = (signal: NodeJS.Signals) => {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal)
  } catch {
    // Nothing of it is left.
  }
}

process.stdin
  .on("end", () => {
    endGroup("SIGTERM")
    setTimeout(() => endGroup("SIGKILL"), grace)
  })
  .resume()

child.on("error", error => {
  process.stderr.write(`${command} could not be started: ${error.message}\n`)
  process.exit(127)
})

child.on("exit", (code, signal) => {
  endGroup("SIGKILL")
  process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal]))
})
