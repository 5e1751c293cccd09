import {readFile} from "node:fs/promises"
import {dirname, join} from "node:path"

/** Where the kernel tells of memory and of control groups; another folder only in tests. */
export interface MemoryFiles {
  readonly proc: string
  readonly groups: string
}

const kernel: MemoryFiles = {proc: "/proc", groups: "/sys/fs/cgroup"}

/**
 * The memory that another process could take, in bytes: what the machine has available, or less where a control group of
 * this process (v1 or v2) allows less. What a group's files take of the page cache counts as free. Undefined where the
 * kernel does not tell.
 */
export const freeMemory = async (files: MemoryFiles = kernel): Promise<number | undefined> => {
  const machine = /^MemAvailable:\s+(\d+) kB$/m.exec(await text(join(files.proc, "meminfo")))?.[1]
  const groups = await freeInGroups(files)
  const all = [...(machine === undefined ? [] : [Number(machine) * 1024]), ...groups]
  return all.length === 0 ? undefined : Math.max(0, Math.min(...all))
}

/** What the group of this process and each one above it have left; nothing of a group without a limit. */
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
  // "max", or no such file: no limit.
  if (Number.isNaN(most) || Number.isNaN(taken)) return undefined
  return most - taken + Number(cache.exec(await text(join(folder, "memory.stat")))?.[1] ?? 0)
}

const upwards = (path: string): readonly string[] =>
  path === "/" || path === "." ? ["/"] : [path, ...upwards(dirname(path))]

const text = (path: string): Promise<string> => readFile(path, "utf8").catch(() => "")
