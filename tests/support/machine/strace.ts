import {readFileSync} from "node:fs"
import {dirname, resolve} from "node:path"
import type {TestContext} from "vitest"
import {type Running, startProcess, untilPrinted} from "../host/process.ts"
import {need} from "./disk.ts"
import {findTool, tool} from "./tools.ts"

export const needStrace = (context: TestContext): void => need(context, findTool("strace") !== undefined, "strace")

const syncs = "fsync,fdatasync"

/** The environments of a Host that always, and of one that never, leaves its syncs to SQLite in its own thread. */
export const syncing = {inThread: {SVC_SLOW_DISK_FROM: "Infinity"}, inPool: {SVC_SLOW_DISK_FROM: "0"}} as const

const straceWith = (fault: string, args: readonly string[], cwd?: string): Running => {
  const {path, env} = tool("strace")
  const inject = `inject=${syncs}:${fault}`
  return startProcess([path, "-f", "-e", `trace=${syncs}`, "-e", inject, ...args], {
    env,
    ...(cwd === undefined ? {} : {cwd}),
  })
}

const attach = async (context: TestContext, pid: number, fault: string): Promise<Running> => {
  const strace = straceWith(fault, ["-p", String(pid)])
  await untilPrinted(strace, /attached|Operation not permitted/)
  need(context, strace.output().includes("attached"), "the right to trace another process")
  return strace
}

/** Makes every fsync of a running process fail, as on a dying disk, until strace gets SIGINT. */
export const failSyncs = (context: TestContext, pid: number): Promise<Running> => attach(context, pid, "error=EIO")

/** For counted calls: in the pool's only thread, and without those of Node's compile cache, which differ between runs. */
const counted = {UV_THREADPOOL_SIZE: "1", NODE_DISABLE_COMPILE_CACHE: "1"}

/** Delays every fsync of a running process by this many milliseconds, until strace gets SIGINT. */
export const slowSyncs = (context: TestContext, pid: number, milliseconds: number): Promise<Running> =>
  attach(context, pid, `delay_enter=${milliseconds * 1000}`)

/** Starts a process for which every fsync takes this many milliseconds longer, as on a slow disk. */
export const startOnSlowDisk = (command: readonly string[], milliseconds: number, cwd: string): Running =>
  straceWith(`delay_enter=${milliseconds * 1000}`, ["-o", "/dev/null", ...command], cwd)

/** Starts a process whose fsync with this number fails, as on a disk that lost a write. Counts as `startToBeKilled`. */
export const startWithFailingSync = (command: readonly string[], when: number, cwd: string): Running => {
  const {path, env} = tool("strace")
  const args = ["-f", "-e", `trace=${syncs}`, "-e", `inject=${syncs}:error=EIO:when=${when}`, "-o", "/dev/null"]
  return startProcess([path, ...args, ...command], {env: {...env, ...counted}, cwd})
}

/**
 * Starts a process that gets SIGKILL at its call with this number of the given system calls. strace counts per thread;
 * Node makes all file calls of a process on one thread, so that none is missed.
 */
export const startToBeKilled = (command: readonly string[], calls: string, when: number, cwd: string): Running => {
  const {path, env} = tool("strace")
  const args = ["-f", "-e", `trace=${calls}`, "-e", `inject=${calls}:signal=KILL:when=${when}`, "-o", "/dev/null"]
  return startProcess([path, ...args, ...command], {env: {...env, ...counted}, cwd})
}

/** Starts a process, and writes to a file which folders it makes and what it syncs, for `readFolders`. */
export const startNotingFolders = (command: readonly string[], notes: string, cwd: string): Running => {
  const {path, env} = tool("strace")
  return startProcess([path, "-f", "-y", "-o", notes, "-e", `trace=mkdir,mkdirat,${syncs}`, ...command], {env, cwd})
}

export interface MadeFolder {
  readonly path: string
  /** Whether its parent folder was synced afterwards. Otherwise a strictly POSIX file system may forget it. */
  readonly isDurable: boolean
}

/** The folders that a process made, from the notes of `startNotingFolders`; relative paths start at `cwd`. */
export const readFolders = (notes: string, cwd: string): readonly MadeFolder[] => {
  const made: {path: string; isDurable: boolean}[] = []
  const begun = new Map<string, string>()
  for (const line of readFileSync(notes, "utf8").split("\n")) {
    const [, thread = "", call = ""] = /^(\d+) +(.*)$/.exec(line) ?? []
    const folder = /^mkdir(?:at)?\((?:[^"]*, )?"([^"]+)"/.exec(call)?.[1]
    if (folder !== undefined) begun.set(thread, resolve(cwd, folder))
    const path = begun.get(thread)
    if (path !== undefined && /mkdir/.test(call) && call.endsWith(" = 0")) made.push({path, isDurable: false})
    const synced = /^f(?:data)?sync\(\d+<([^>]+)>/.exec(call)?.[1]
    if (synced !== undefined) for (const each of made) each.isDurable ||= dirname(each.path) === synced
  }
  return made
}
