import {setTimeout as sleep} from "node:timers/promises"
import {root, type TestRuntime} from "../../support/host/runtimes.ts"
import {answerOf, bareName, startBare} from "../measure/bare.ts"
import {atMost, type Figure, short} from "../measure/figure.ts"
import {smallBot, startHost, token} from "../measure/host.ts"
import {runScript} from "../measure/process.ts"
import {residentMegabytes} from "../measure/process-stat.ts"
import {percentile} from "../measure/statistics.ts"
import type {AttackName, Seen} from "./kinds.ts"
import {probeDuring} from "./probe.ts"

export interface Force {
  /** The duration of each attack, in seconds. */
  readonly seconds: number
  /** The pause after an attack before memory is measured, in seconds. Below 60, memory has no target. */
  readonly rest: number
  /** 1 is the full attack. */
  readonly scale: number
  readonly seed: number
}

export interface Outcome extends Seen {
  readonly during: readonly number[]
  readonly after: readonly number[]
  /** Resident memory after the pause, divided by the memory before. */
  readonly memory: number
  readonly megabytes: number
}

/** How long health is probed after an attack, in seconds. */
const afterwards = 10

/** The limits: milliseconds of health, and the ratio of memory. */
const most = {health: 100, memory: 1.1} as const

/** Attacks for this many seconds. */
type Strike = (seconds: number, force: Force) => Promise<Seen>

const attack = (name: AttackName, port: number, seconds: number, {scale, seed}: Force): Promise<Seen> => {
  const args = [name, port, token, seconds * 1000, scale, seed].map(String)
  return runScript<Seen>([process.execPath, `${root}tests/bench/attacks/attacker.ts`, ...args])
}

export const suffer = async (server: {port: number; pid: number}, strike: Strike, force: Force): Promise<Outcome> => {
  // Code that is compiled and loaded on first use is not memory that an attack holds.
  await strike(1, {...force, scale: force.scale / 10})
  await sleep(2000)
  const before = residentMegabytes(server.pid)
  const attacking = strike(force.seconds, force)
  const during = await probeDuring(server.port, attacking)
  const ended = performance.now()
  const after = await probeDuring(server.port, sleep(Math.min(afterwards, force.rest) * 1000))
  await sleep(Math.max(0, ended + force.rest * 1000 - performance.now()))
  const megabytes = residentMegabytes(server.pid)
  return {...(await attacking), during, after, memory: megabytes / before, megabytes}
}

const p99 = (times: readonly number[]) => percentile(times, 0.99)

const single = (value: number, times: readonly number[] = [value]) => ({
  median: value,
  lowest: Math.min(...times),
  highest: Math.max(...times),
})

export const figuresOf = (
  title: string,
  host: Outcome,
  bare: Outcome,
  against: string,
  force: Force,
): readonly Figure[] => {
  const health = (when: "during" | "after"): Figure => ({
    name: `${title}: health p99 ${when}`,
    unit: "ms",
    value: single(p99(host[when]), host[when]),
    target: atMost(most.health),
    against,
    detail: `${short(p99(bare[when]))} ms`,
  })
  const memory: Figure = {
    name: `${title}: memory after ${force.rest} s`,
    unit: "",
    value: single(host.memory),
    ...(force.rest < 60 ? {} : {target: atMost(most.memory)}),
    against,
    detail: `${short(bare.memory)}; ${short(host.megabytes)} against ${short(bare.megabytes)} MB`,
  }
  return [health("during"), health("after"), memory]
}

/** As shares of the requests sent: the two servers handle different numbers of requests in the same time. */
const refusals = (title: string, host: Outcome, bare: Outcome, against: string): Figure[] => {
  const share = (name: string, key: "accepted" | "acceptedHosts" | "failed", limit: number): Figure => ({
    name: `${title}: ${name}`,
    unit: "%",
    value: single((100 * host[key]) / host.sent),
    target: atMost(limit),
    against,
    detail: `${short((100 * bare[key]) / bare.sent)} % of ${short(bare.sent)}, here of ${short(host.sent)}`,
  })
  return [
    // One point more may be chance.
    share("accepted", "accepted", (100 * bare.accepted) / bare.sent + 1),
    share("accepted with a bad Host", "acceptedHosts", 0),
    share("answered 5xx", "failed", 0),
  ]
}

/** Runs an attack on a fresh Host, then on a fresh bare server, of one runtime. */
export const measureAttack = async (
  name: AttackName,
  runtime: TestRuntime,
  force: Force,
): Promise<readonly Figure[]> => {
  const project = smallBot()
  const host = await startHost(runtime, project)
  const bare = await startBare(runtime, await answerOf(await host.fetch("/pub/health")))
  try {
    const by =
      ({port}: {port: number}): Strike =>
      (seconds, strength) =>
        attack(name, port, seconds, strength)
    const suffered = await suffer(host, by(host), force)
    const yardstick = await suffer(bare, by(bare), force)
    const title = `${name} on ${runtime.name}`
    const figures = figuresOf(title, suffered, yardstick, bareName(runtime), force)
    return name === "malformed" ? [...figures, ...refusals(title, suffered, yardstick, bareName(runtime))] : figures
  } finally {
    await Promise.all([host.stop(), bare.process.stop()])
    project.remove()
  }
}
