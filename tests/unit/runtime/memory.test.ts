import {mkdirSync, writeFileSync} from "node:fs"
import {dirname, join} from "node:path"
import {expect, test} from "vitest"
import {freeMemory} from "../../../server/runtime/memory.ts"
import {makeFolder} from "../../support/host/project.ts"

const gib = 1024 ** 3

/** The kernel's files, by path below `proc` and `groups`. */
const tellingOf = (files: Readonly<Record<string, string>>) => {
  const folder = makeFolder()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), {recursive: true})
    writeFileSync(join(folder, path), text)
  }
  return {proc: join(folder, "proc"), groups: join(folder, "groups")}
}

const meminfo = "MemTotal:  33554432 kB\nMemFree:  1048576 kB\nMemAvailable:    8388608 kB\n"

test("without limits, the machine's available memory is free", async () => {
  const files = {"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a\n", "groups/a/memory.max": "max\n"}
  expect(await freeMemory(tellingOf(files))).toBe(8 * gib)
})

test("the narrowest control group above the process counts, without its page cache", async () => {
  const files = {
    "proc/meminfo": meminfo,
    "proc/self/cgroup": "0::/system.slice/svc.service\n",
    "groups/system.slice/svc.service/memory.max": "max",
    "groups/system.slice/svc.service/memory.current": String(gib),
    "groups/system.slice/memory.max": String(2 * gib),
    "groups/system.slice/memory.current": String(1.75 * gib),
    "groups/system.slice/memory.stat": `anon 5\ninactive_file ${gib / 2}\n`,
  }
  expect(await freeMemory(tellingOf(files))).toBe(0.75 * gib)
})

test("in a container the root of its groups has the limit", async () => {
  const files = {
    "proc/meminfo": meminfo,
    "proc/self/cgroup": "0::/\n",
    "groups/memory.max": String(gib),
    "groups/memory.current": String(gib),
  }
  expect(await freeMemory(tellingOf(files))).toBe(0)
})

test("limits of the first version of control groups count too", async () => {
  const files = {
    "proc/meminfo": meminfo,
    "proc/self/cgroup": "12:cpu,cpuacct:/x\n5:memory:/docker/1\n",
    "groups/memory/docker/1/memory.limit_in_bytes": String(gib),
    "groups/memory/docker/1/memory.usage_in_bytes": String(gib / 2),
    "groups/memory/docker/1/memory.stat": `total_inactive_file ${gib / 4}\n`,
  }
  expect(await freeMemory(tellingOf(files))).toBe(0.75 * gib)
})

test("the result is unknown when the kernel reports nothing", async () => {
  expect(await freeMemory(tellingOf({}))).toBeUndefined()
})
