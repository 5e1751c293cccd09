import {readdirSync, readFileSync} from "node:fs"

/** The clock ticks per second in /proc: 100 on every Linux that Bun and Node run on. */
const ticks = 100

/** The processor time of a process so far, in seconds: user and kernel mode, all threads. */
export const cpuSeconds = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  // The second field is the command in brackets, which may contain anything.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return (Number(fields[11]) + Number(fields[12])) / ticks
}

/** How often the threads of a process have woken so far, all together. A thread that has ended no longer counts. */
export const wakeups = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + wakeupsOf(`/proc/${pid}/task/${thread}/status`), 0)

const wakeupsOf = (path: string): number => {
  try {
    return Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(readFileSync(path, "utf8"))?.[1] ?? 0)
  } catch {
    // The thread has just ended.
    return 0
  }
}

/** The resident memory of a process and its child processes, in MB (2^20 bytes). */
export const residentMegabytes = (pid: number): number =>
  [pid, ...childrenOf(pid)].reduce((sum, each) => sum + ownMegabytes(each), 0)

const ownMegabytes = (pid: number): number => {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024
}

const childrenOf = (pid: number): number[] =>
  readdirSync(`/proc/${pid}/task`).flatMap(thread =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number),
  )
