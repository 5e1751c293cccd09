import {readFileSync} from "node:fs"
import {get} from "node:http"
import {setTimeout as sleep} from "node:timers/promises"
import {Worker} from "node:worker_threads"
import {expect, test} from "vitest"
import {startHost} from "../../support/host/host.ts"
import {startProcess, until} from "../../support/host/process.ts"
import {onBun, root, runtimes, type TestRuntime} from "../../support/host/runtimes.ts"
import {faultRun, tellHowToRepeat} from "../../support/machine/fault-run.ts"
import {freePort} from "../../support/machine/ports.ts"
import type {Attack} from "./attacker.ts"

const run = faultRun("http-attacks")

/** The long form compares with a bare server, and waits a minute for the memory. */
const isLong = run.rounds > 1

/** Connections of each attack, in the suite and in the long form. */
const attacks = {
  idle: [200, 5000],
  parallel: [20, 200],
  "slow headers": [50, 200],
  "slow bodies": [50, 300],
  "unread answers": [50, 200],
  "pipelined, unread": [40, 40],
  malformed: [50, 200],
} as const

/** Milliseconds until the probe is answered with 200; rejects otherwise. */
const probe = (port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const begun = performance.now()
    get({port, host: "127.0.0.1", path: "/pub/health", agent: false}, response => {
      response.resume()
      response.on("end", () =>
        response.statusCode === 200 ? resolve(performance.now() - begun) : reject(new Error(`${response.statusCode}`)),
      )
    }).on("error", reject)
  })

/** Probes until a promise settles, then for half a second. */
const measure = async (port: number, over: Promise<unknown>) => {
  const times: number[] = []
  let isOver = false
  const ended = over
    .then(() => sleep(500))
    .then(() => {
      isOver = true
    })
  while (!isOver) {
    times.push(await probe(port))
    await sleep(10)
  }
  await ended
  return times.sort((one, other) => one - other)
}

const p99 = (times: readonly number[]) => times[Math.floor((times.length - 1) * 0.99)] ?? Number.NaN

const memoryOf = (pid: number) =>
  Number(readFileSync(`/proc/${pid}/status`, "utf8").match(/VmRSS:\s+(\d+)/)?.[1]) / 1024

const attack = (data: Attack): Promise<unknown> => {
  const worker = new Worker(new URL("./attacker.ts", import.meta.url), {workerData: data})
  return new Promise((resolve, reject) => {
    worker.once("message", resolve)
    worker.once("error", reject)
  }).finally(() => worker.terminate())
}

/** Attacks one server; a row for each attack. */
const attackAll = async (server: string, port: number, pid: number): Promise<string[]> => {
  const rows: string[] = []
  await probe(port)
  const before = memoryOf(pid)
  for (const [name, [few, many]] of Object.entries(attacks)) {
    const count = isLong ? many : few
    const times = await measure(port, attack({port, name, count, seconds: run.rounds, seed: run.seed}))
    const figures = [p99(times), times.at(-1) ?? Number.NaN, memoryOf(pid)].map(value => value.toFixed(1).padStart(9))
    rows.push(`${server.padEnd(14)}${name.padEnd(20)}${figures.join("")}`)
  }
  if (isLong) await sleep(60_000)
  rows.push(`${server.padEnd(14)}MiB before and after: ${before.toFixed(1)} ${memoryOf(pid).toFixed(1)}`)
  return rows
}

/** The yardstick of a runtime. */
const attackBare = async (runtime: TestRuntime) => {
  const port = await freePort()
  const script = `${root}tests/bench/bare/${runtime === onBun ? "http-bun.ts" : "http-node.mjs"}`
  const server = startProcess([
    runtime.command[0] ?? "",
    script,
    String(port),
    JSON.stringify({headers: {}, body: "{}"}),
  ])
  await until("the bare server to answer", () => probe(port).catch(() => undefined))
  return attackAll(`bare ${runtime.name}`, port, server.pid)
}

test.each(runtimes)(
  "liveness is answered during and after every attack on $name",
  async runtime => {
    tellHowToRepeat(run)
    const bare = isLong ? await attackBare(runtime).catch(error => [`bare ${runtime.name}: ${error}`]) : []
    const host = await startHost({runtime})
    const rows = await attackAll(runtime.name, Number(new URL(host.url).port), host.process.pid)
    const head = `${" ".repeat(34)} p99 (ms) max (ms)      MiB`
    process.stdout.write(`${[head, ...bare, ...rows].join("\n")}\n`)
    expect(host.process.output()).not.toMatch(/uncaught|^\s+at /m)
    expect((await fetch(`${host.url}/pub/health`)).status).toBe(200)
  },
  isLong ? 900_000 : 180_000,
)
