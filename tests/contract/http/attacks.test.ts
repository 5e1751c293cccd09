import {setTimeout as sleep} from "node:timers/promises"
import {Worker} from "node:worker_threads"
import {expect, test} from "vitest"
import {type AttackName, attackNames} from "../../bench/attacks/kinds.ts"
import {longest, probeDuring} from "../../bench/attacks/probe.ts"
import {runtimes, startHost} from "../../support/host/host.ts"
import type {Attack} from "./attacker.ts"

/** The share of each attack's connections. The long form, `bun run attacks`, has limits and a bare server. */
const scales: Readonly<Record<AttackName, number>> = {
  idle: 0.04,
  parallel: 0.1,
  "slow-headers": 0.1,
  "slow-bodies": 0.2,
  "unread-streams": 0.25,
  pipelined: 1,
  malformed: 1,
}

const attack = (workerData: Attack): Promise<unknown> => {
  const worker = new Worker(new URL("./attacker.ts", import.meta.url), {workerData})
  return new Promise((resolve, reject) => {
    worker.once("message", resolve)
    worker.once("error", reject)
  }).finally(() => worker.terminate())
}

test.each(runtimes)(
  "liveness is answered during and after every attack on $name",
  async runtime => {
    const host = await startHost({own: true, runtime})
    const port = Number(new URL(host.url).port)
    for (const name of attackNames) {
      const attacking = attack({name, port, token: host.token, scale: scales[name]})
      const times = await probeDuring(
        port,
        attacking.then(() => sleep(500)),
      )
      expect(Math.max(...times), name).toBeLessThan(longest)
      expect(await attacking, name).toMatchObject({acceptedHosts: 0, failed: 0})
    }
    expect(host.process.output()).not.toMatch(/uncaught|^\s+at /m)
    expect((await fetch(`${host.url}/pub/health`)).status).toBe(200)
  },
  180_000,
)
