import {spawn} from "node:child_process"
import {constants, setPriority} from "node:os"

/**
 * A separate process that runs a program for `runProgram`, in a new process group. Its standard input ends when its
 * parent wants the end or has died in any way: then the whole group ends, including processes that the program left
 * running. Arguments: folder, program, its arguments.
 */
const [folder = "", command = "", ...args] = process.argv.slice(2)

/** How long the group may take to end after SIGTERM, in milliseconds. */
const grace = 2000

// A terminal sends Ctrl-C to every process. The parent decides when to end.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {})

try {
  // A running Host has priority.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
} catch {
  // Without permission, both share the processor equally.
}

// Both streams go to one, so that the output keeps its order.
const child = spawn(command, args, {cwd: folder, stdio: ["ignore", 1, 1], detached: true})

const endGroup = (signal: NodeJS.Signals) => {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal)
  } catch {
    // No process of the group is left.
  }
}

process.stdin
  .on("end", () => {
    endGroup("SIGTERM")
    setTimeout(() => endGroup("SIGKILL"), grace)
  })
  .resume()

child.on("error", error => {
  process.stderr.write(`cannot start ${command}: ${error.message}\n`)
  process.exit(127)
})

child.on("exit", (code, signal) => {
  endGroup("SIGKILL")
  process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal]))
})
