import type {TestContext} from "vitest"
import {type Running, startProcess, untilPrinted} from "../host/process.ts"
import {need} from "./disk.ts"
import {findTool, tool} from "./tools.ts"

export const needStrace = (context: TestContext): void => need(context, findTool("strace") !== undefined, "strace")

const syncs = "fsync,fdatasync"

const straceWith = (fault: string, args: readonly string[], cwd?: string): Running => {
  const {path, env} = tool("strace")
  const inject = `inject=${syncs}:${fault}`
  return startProcess([path, "-f", "-e", `trace=${syncs}`, "-e", inject, ...args], {
    env,
    ...(cwd === undefined ? {} : {cwd}),
  })
}

/** Makes every fsync of a running process fail, as a dying disk does, until strace gets SIGINT. */
export const failSyncs = async (context: TestContext, pid: number): Promise<Running> => {
  const strace = straceWith("error=EIO", ["-p", String(pid)])
  await untilPrinted(strace, /attached|Operation not permitted/)
  need(context, strace.output().includes("attached"), "the right to trace another process")
  return strace
}

/** Starts a process for which every fsync takes so many milliseconds longer, as on a slow disk. */
export const startOnSlowDisk = (command: readonly string[], milliseconds: number, cwd: string): Running =>
  straceWith(`delay_enter=${milliseconds * 1000}`, ["-o", "/dev/null", ...command], cwd)

/** Starts a process whose so-manieth fsync fails, as on a disk that has lost a write; counted as `startToBeKilled` does. */
export const startWithFailingSync = (command: readonly string[], when: number, cwd: string): Running => {
  const {path, env} = tool("strace")
  const args = ["-f", "-e", `trace=${syncs}`, "-e", `inject=${syncs}:error=EIO:when=${when}`, "-o", "/dev/null"]
  return startProcess([path, ...args, ...command], {env: {...env, UV_THREADPOOL_SIZE: "1"}, cwd})
}

/**
 * Starts a process that is killed -9 at its so-manieth system call of these. strace counts for each thread: a process on
 * Node makes those of files on one, so that none is passed over.
 */
export const startToBeKilled = (command: readonly string[], calls: string, when: number, cwd: string): Running => {
  const {path, env} = tool("strace")
  const args = ["-f", "-e", `trace=${calls}`, "-e", `inject=${calls}:signal=KILL:when=${when}`, "-o", "/dev/null"]
  return startProcess([path, ...args, ...command], {env: {...env, UV_THREADPOOL_SIZE: "1"}, cwd})
}
