import type {TestRuntime} from "../../support/host/runtimes.ts"
import {type Figure, sides} from "../measure/figure.ts"
import {type BenchHost, type BenchProject, makeProject, startHost} from "../measure/host.ts"
import {measurePairs} from "../measure/pairs.ts"
import {cpuSeconds} from "../measure/process-stat.ts"
import {onEachRuntime, type Row} from "../row.ts"

/** The number of endpoints of the measured Host. */
const endpoints = 1000

/** The number of pages per sample. */
const pages = 20

/** An adapter that is online immediately. */
const wire = `import {definePlugin, Type} from "svc-runtime"

export default definePlugin({
  setup(plugin) {
    plugin.adapter("wire", {
      history: "none",
      account: Type.Object({}),
      open: async () => ({send: async message => ({ids: [message.id]})}),
    })
  },
})
`

const manyEndpoints = (): BenchProject => {
  const accounts = Array.from({length: endpoints}, (_, n) => `{id: account-${n}}`)
  return makeProject(`  wire: {endpoints: [${accounts.join(", ")}]}\n`, {wire})
}

/** The yardstick: half of the endpoints, as JSON. */
const list = `/api/endpoints?limit=${endpoints / 2}`

/** The Host's processor time per page, in milliseconds. */
const costOf = async (host: BenchHost, path: string): Promise<number> => {
  const before = cpuSeconds(host.pid)
  for (let page = 0; page < pages; page++) await (await host.fetch(path)).text()
  return ((cpuSeconds(host.pid) - before) * 1000) / pages
}

const measureOn = async (runtime: TestRuntime, pairs: number): Promise<readonly Figure[]> => {
  const project = manyEndpoints()
  const host = await startHost(runtime, project)
  const begun = performance.now()
  await (await host.fetch("/api/metrics")).text()
  const first = performance.now() - begun
  // Warm-up for the compiler.
  for (const path of ["/api/metrics", list]) await costOf(host, path)
  const measured = await measurePairs(
    pairs,
    () => costOf(host, "/api/metrics"),
    () => costOf(host, list),
  )
  const size = (await (await host.fetch("/api/metrics")).text()).length
  await host.stop()
  project.remove()
  return [
    {
      name: `a page of ${Math.round(size / 1024)} KB on ${runtime.name}`,
      unit: "ms",
      value: measured.subject,
      against: list,
      detail: sides(measured, "ms of processor time"),
    },
    {
      name: `  the first one on ${runtime.name}`,
      unit: "ms",
      value: {median: first, lowest: first, highest: first},
      detail: "with the loading of what renders",
    },
  ]
}

export const metrics: Row = {
  name: "metrics",
  summary: `processor time of one page of metrics, with ${endpoints} endpoints`,
  measure: onEachRuntime((runtime, {pairs}) => measureOn(runtime, pairs)),
}
