import {readdir, readFile, readlink} from "node:fs/promises"

/**
 * Returns the process that listens on a TCP port of this machine, as `pid 123 (nginx)`. Undefined for another user's
 * process and outside Linux, where the kernel does not say. Leaves out the arguments, which may contain secrets.
 */
export const findPortHolder = async (port: number): Promise<string | undefined> => {
  const sockets = new Set((await Promise.all(["tcp", "tcp6"].map(table => listeners(table, port)))).flat())
  if (sockets.size === 0) return undefined
  const pids = (await entries("/proc")).filter(entry => /^\d+$/.test(entry))
  for (const pid of pids) {
    if (!(await holdsOneOf(pid, sockets))) continue
    const name = await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "")
    return `pid ${pid}${name === "" ? "" : ` (${name.trim()})`}`
  }
  return undefined
}

/** The state of a listening socket in the kernel's tables (proc(5)). */
const listening = "0A"

/** Returns the sockets that listen on a port, named as in `/proc/<pid>/fd`. */
const listeners = async (table: string, port: number): Promise<readonly string[]> => {
  const text = await readFile(`/proc/net/${table}`, "utf8").catch(() => "")
  const rows = text.split("\n").map(line => line.trim().split(/\s+/))
  return rows.flatMap(([, local = "", , state, , , , , , inode]) =>
    state === listening && Number.parseInt(local.split(":")[1] ?? "", 16) === port ? [`socket:[${inode}]`] : [],
  )
}

const holdsOneOf = async (pid: string, sockets: ReadonlySet<string>): Promise<boolean> => {
  const folder = `/proc/${pid}/fd`
  const targets = (await entries(folder)).map(fd => readlink(`${folder}/${fd}`).catch(() => ""))
  return (await Promise.all(targets)).some(target => sockets.has(target))
}

const entries = (folder: string): Promise<string[]> => readdir(folder).catch(() => [])
