import {setTimeout as sleep} from "node:timers/promises"
import {expect, test} from "vitest"
import {wakeups} from "../../bench/measure/process-stat.ts"
import {startHost, until} from "../../support/host/host.ts"
import {runtimes} from "../../support/host/runtimes.ts"

/** In milliseconds. */
const length = 5000

test.each(runtimes)(
  "the threads of a resting Host wake at most ten times a second together, on $name",
  async runtime => {
    const host = await startHost({own: true, runtime, args: ["--no-watch"]})
    await until(
      "the Host to rest",
      async () => {
        const before = wakeups(host.process.pid)
        await sleep(length)
        return wakeups(host.process.pid) - before <= (10 * length) / 1000
      },
      120_000,
    )
    expect((await host.fetch("/pub/ready")).status).toBe(200)
  },
  180_000,
)
