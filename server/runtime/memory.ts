import {readFile} from "node:fs/promises"
import {dirname, join} from "node:path"

/** Where the kernel reports memory and control groups. Only tests use other folders. */
export interface MemoryFiles {
  readonly proc: string
  readonly groups: string
}

const kernel: MemoryFiles = {proc: "/proc", groups: "/sys/fs/cgroup"}

/**
 * Returns the memory that another process could use, in bytes: what the machine has available, or less if a control
 * group of this process (v1 or v2) allows less. The page cache of a group's files counts as free. Returns undefined if
 * the kernel does not say.
 */
export const freeMemory = async (files: MemoryFiles = kernel): Promise<number | undefined> => {
  const machine = /^MemAvailable:\s+(\d+) kB$/m.exec(await text(join(files.proc, "meminfo")))?.[1]
  const groups = await freeInGroups(files)
  const all = [...(machine === undefined ? [] : [Number(machine) * 1024]), ...groups]
  return all.length === 0 ? undefined : Math.max(0, Math.min(...all))
}

/** Returns what the control group of this process and each of its parents have left. Skips groups without a limit. */
const freeInGroups = async ({proc, groups}: MemoryFiles): Promise<readonly number[]> => {
  const lines = (await text(join(proc, "self/cgroup"))).split("\n")
  const left: number[] = []
  for (const line of lines) {
    const [, controllers = "", path = ""] = /^\d+:([^:]*):(.*)$/.exec(line) ?? []
    const names = controllers === "" ? unified : controllers.split(",").includes("memory") ? legacy : undefined
    if (names === undefined) continue
    const root = controllers === "" ? groups : join(groups, "memory")
    for (const folder of upwards(path)) {
      const free = await leftIn(join(root, folder), names)
      if (free !== undefined) left.push(free)
    }
  }
  return left
}

interface Names {
  readonly limit: string
  readonly used: string
  readonly cache: RegExp
}

const unified: Names = {limit: "memory.max", used: "memory.current", cache: /^inactive_file (\d+)$/m}
const legacy: Names = {
  limit: "memory.limit_in_bytes",
  used: "memory.usage_in_bytes",
  cache: /^total_inactive_file (\d+)$/m,
}

const leftIn = async (folder: string, {limit, used, cache}: Names): Promise<number | undefined> => {
  const most = Number.parseInt(await text(join(folder, limit)), 10)
  const taken = Number.parseInt(await text(join(folder, used)), 10)
  // "max" or a missing file means no limit.
  if (Number.isNaN(most) || Number.isNaN(taken)) return undefined
  return most - taken + Number(cache.exec(await text(join(folder, "memory.stat")))?.[1] ?? 0)
}

const upwards = (path: string): readonly string[] =>
  path === "/" || path === "." ? ["/"] : [path, ...upwards(dirname(path))]

const text = (path: string): Promise<string> => readFile(path, "utf8").catch(() => "")
