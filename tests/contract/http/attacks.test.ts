import {readFileSync} from "node:fs"
import {get} from "node:http"
import {setTimeout as sleep} from "node:timers/promises"
import {Worker} from "node:worker_threads"
import {expect, test} from "vitest"
import {runtimes, startHost} from "../../support/host/host.ts"
import type {Attack} from "./attacker.ts"

/** Connections of each attack, for one second. The long form, `bun run attacks`, has limits and a bare server. */
const attacks = {
  idle: 200,
  parallel: 20,
  "slow headers": 50,
  "slow bodies": 50,
  "unread answers": 50,
  "pipelined, unread": 40,
  malformed: 50,
} as const

/** Resolves to the milliseconds until the probe is answered with 200. Rejects on any other answer. */
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

/** Probes until the promise settles, then for another half second. */
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

/** Attacks one server. Returns a row for each attack. */
const attackAll = async (server: string, port: number, pid: number): Promise<string[]> => {
  const rows: string[] = []
  await probe(port)
  for (const [name, count] of Object.entries(attacks)) {
    const times = await measure(port, attack({port, name, count, seconds: 1, seed: 15}))
    const figures = [p99(times), times.at(-1) ?? Number.NaN, memoryOf(pid)].map(value => value.toFixed(1).padStart(9))
    rows.push(`${server.padEnd(14)}${name.padEnd(20)}${figures.join("")}`)
  }
  return rows
}

test.each(runtimes)(
  "liveness is answered during and after every attack on $name",
  async runtime => {
    const host = await startHost({own: true, runtime})
    const rows = await attackAll(runtime.name, Number(new URL(host.url).port), host.process.pid)
    process.stdout.write(`${" ".repeat(34)} p99 (ms) max (ms)      MiB\n${rows.join("\n")}\n`)
    expect(host.process.output()).not.toMatch(/uncaught|^\s+at /m)
    expect((await fetch(`${host.url}/pub/health`)).status).toBe(200)
  },
  180_000,
)
