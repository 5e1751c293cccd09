import type {TestRuntime} from "../../support/host/runtimes.ts"
import {atMost, type Figure, sides} from "../measure/figure.ts"
import {type BenchProject, smallBot, startHost, svc} from "../measure/host.ts"
import {measurePairs} from "../measure/pairs.ts"
import {runProcess} from "../measure/process.ts"
import {spreadOf} from "../measure/statistics.ts"
import {onEachRuntime, type Row, type RowOptions} from "../row.ts"

/** Measures the time from the start of the process until `/pub/ready` answers 200; the database already exists. */
const startOnce = async (runtime: TestRuntime, project: BenchProject): Promise<{wall: number; cpu: number}> => {
  const {startedIn, startedWith, stop} = await startHost(runtime, project)
  await stop()
  return {wall: startedIn, cpu: startedWith}
}

/** The start of the runtime alone, without work. */
const bareTime = async ({command: [binary = ""]}: TestRuntime): Promise<number> => {
  const begun = performance.now()
  await runProcess([binary, "-e", "0"])
  return performance.now() - begun
}

const measureStart = async (
  runtime: TestRuntime,
  project: BenchProject,
  plugin: string,
  pairs: number,
): Promise<readonly Figure[]> => {
  // The first start creates the database and fills the machine's caches.
  await startOnce(runtime, project)
  const cpu: number[] = []
  const subject = async () => {
    const started = await startOnce(runtime, project)
    cpu.push(started.cpu)
    return started.wall
  }
  const measured = await measurePairs(pairs, subject, () => bareTime(runtime))
  return [
    {
      name: `${plugin} on ${runtime.name}`,
      unit: "ms",
      value: measured.subject,
      target: atMost(runtime.name === "bun" ? 150 : 300),
      against: `${runtime.name} -e 0`,
      detail: sides(measured, "ms"),
    },
    {name: `  processor time of ${plugin} on ${runtime.name}`, unit: "ms", value: spreadOf(cpu)},
  ]
}

const measureOn = async (runtime: TestRuntime, {pairs, progress}: RowOptions): Promise<readonly Figure[]> => {
  const figures: Figure[] = []
  const project = smallBot()
  progress(`a plugin as source, on ${runtime.name}`)
  figures.push(...(await measureStart(runtime, project, "a plugin as source", pairs)))
  progress(`a plugin that svc build has built, on ${runtime.name}`)
  await svc(runtime, project, ["build"])
  figures.push(...(await measureStart(runtime, project, "a built plugin", pairs)))
  project.remove()
  return figures
}

export const start: Row = {
  name: "start",
  summary: "process start to /pub/ready 200, production mode, existing SQLite database, one plugin",
  measure: onEachRuntime(measureOn),
}
