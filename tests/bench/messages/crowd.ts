import {readFileSync} from "node:fs"
import {root, type TestRuntime} from "../../support/host/runtimes.ts"
import {atMost, type Figure, ratioOf} from "../measure/figure.ts"
import {makeProject, startHost} from "../measure/host.ts"
import {measurePairs} from "../measure/pairs.ts"
import {spreadOf} from "../measure/statistics.ts"
import {onEachRuntime, type Row, type RowOptions} from "../row.ts"

/** How long a command takes, in milliseconds. */
const slow = 2000

const users = 500

const measureOn = async (runtime: TestRuntime, {pairs}: RowOptions): Promise<readonly Figure[]> => {
  const source = readFileSync(`${root}tests/bench/messages/crowd-plugin.ts`, "utf8")
  const project = makeProject("  crowd: {}\ninbox:\n  order: {commands: user}\n", {crowd: source})
  const host = await startHost(runtime, project)
  const measure = async (crowd: number) => {
    const answer = await host.fetch(`/api/plugins/crowd/crowd?users=${crowd}&ms=${slow}`)
    return (await answer.json()) as {readonly last: number; readonly ping: number}
  }
  await measure(1)
  const pings: number[] = []
  const measured = await measurePairs(
    pairs,
    async () => {
      const {last, ping} = await measure(users)
      pings.push(ping)
      return last
    },
    async () => (await measure(1)).last,
  )
  await host.end()
  return [
    ratioOf(
      `${users} users of a channel until the last answer, on ${runtime.name}`,
      measured,
      "one user of the same command",
      "ms",
    ),
    {
      name: `  another user's fast command meanwhile, on ${runtime.name}`,
      unit: "ms",
      value: spreadOf(pings),
      target: atMost(slow),
    },
  ]
}

export const crowd: Row = {
  name: "crowd",
  summary: `${users} users in one channel, each with a command of ${slow / 1000} s, and one with a fast one`,
  measure: onEachRuntime(measureOn),
}
