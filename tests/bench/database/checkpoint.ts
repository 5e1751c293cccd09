import {readdirSync, rmSync, statSync} from "node:fs"
import type {TestRuntime} from "../../support/host/runtimes.ts"
import {databaseOf, databaseSize, holdContest, makeLargeProject, waitFigures} from "../measure/during.ts"
import {atMost, type Figure, sides} from "../measure/figure.ts"
import {type BenchHost, type BenchProject, startHost, svc} from "../measure/host.ts"
import {spreadOf} from "../measure/statistics.ts"
import {onEachRuntime, onOneNode, type Row, type RowOptions} from "../row.ts"

/** Each pair takes most of a minute. */
const mostPairs = 3

/** The longest time to verify and restore a checkpoint, in seconds. */
const longestRestore = 60

/** An `svc checkpoint` command for the runner on a running Host. Its output must be short. */
const commandOf =
  ({command}: TestRuntime, {folder}: BenchProject, ...args: readonly string[]) =>
  () => [...command.slice(1), "checkpoint", ...args, "--project", folder]

const measureRunning = async (host: BenchHost, runtime: TestRuntime, project: BenchProject, pairs: number) => {
  const control = `${project.folder}/control`
  const checkpoints = `${project.folder}/.svc/checkpoints`
  const common = {pairs, bytes: () => statSync(databaseOf(project)).size}
  const clear = () => rmSync(control, {force: true})
  const keepNone = () => {
    clear()
    for (const name of readdirSync(checkpoints)) rmSync(`${checkpoints}/${name}`, {recursive: true, force: true})
  }
  const create = commandOf(runtime, project, "create", "--no-verify")
  const creating = await holdContest(host, control, {...common, subject: create, clear: keepNone})
  await svc(runtime, project, ["checkpoint", "create", "--no-verify"])
  const verify = commandOf(runtime, project, "verify", "newest")
  const verifying = await holdContest(host, control, {...common, subject: verify, clear})
  return {creating, verifying}
}

const secondsOf = async (runtime: TestRuntime, project: BenchProject, ...args: readonly string[]): Promise<number> => {
  const begun = performance.now()
  await svc(runtime, project, ["checkpoint", ...args])
  return (performance.now() - begun) / 1000
}

/** The seconds to create and verify a checkpoint, and to write its compressed archive, of a stopped Host. */
const measureExport = async (runtime: TestRuntime, project: BenchProject, rounds: number) => {
  const archive = `${project.folder}/checkpoint.tar.gz`
  const samples: {readonly all: number; readonly archive: number}[] = []
  for (let round = 0; round < rounds; round++) {
    const create = await secondsOf(runtime, project, "create")
    const write = await secondsOf(runtime, project, "export", "newest", "--output", archive)
    samples.push({all: create + write, archive: write})
    rmSync(archive)
    await svc(runtime, project, ["checkpoint", "prune", "--keep", "1"])
  }
  return {all: samples.map(({all}) => all), archive: samples.map(({archive}) => archive)}
}

/** The seconds of a verification with the restore after it, and of the restore alone, of a stopped Host. */
const measureRestore = async (runtime: TestRuntime, project: BenchProject, rounds: number) => {
  const samples: {readonly both: number; readonly restore: number}[] = []
  for (let round = 0; round < rounds; round++) {
    const verify = await secondsOf(runtime, project, "verify", "newest")
    const restore = await secondsOf(runtime, project, "restore", "newest")
    samples.push({both: verify + restore, restore})
  }
  return {both: samples.map(({both}) => both), restore: samples.map(({restore}) => restore)}
}

const measureOn = async (runtime: TestRuntime, options: RowOptions): Promise<readonly Figure[]> => {
  const pairs = Math.min(options.pairs, mostPairs)
  const on = `on ${runtime.name}`
  options.progress(`making a database of ${databaseSize / 1e9} GB`)
  // Room for a checkpoint, its copy during verification, the files that a restore sets aside, and the same again.
  const project = await makeLargeProject(runtime, 4)
  options.progress(`checkpoints ${on}`)
  const host = await startHost(runtime, project)
  const {creating, verifying} = await measureRunning(host, runtime, project, pairs)
  await host.stop()
  options.progress(`archives ${on}`)
  const exports = await measureExport(runtime, project, pairs)
  options.progress(`restores ${on}`)
  const restores = await measureRestore(runtime, project, pairs)
  project.remove()
  return [
    {name: `creating ${on}`, unit: "s", value: creating.time.subject, detail: sides(creating.time, "s")},
    ...waitFigures(creating, `while it is created, ${on}`),
    {name: `verifying ${on}`, unit: "s", value: verifying.time.subject, detail: sides(verifying.time, "s")},
    ...waitFigures(verifying, `while it is verified, ${on}`),
    {name: `created, verified and exported ${on}`, unit: "s", value: spreadOf(exports.all)},
    {name: `  exported, ${on}`, unit: "s", value: spreadOf(exports.archive)},
    {name: `verified and restored ${on}`, unit: "s", value: spreadOf(restores.both), target: atMost(longestRestore)},
    {name: `  restored, ${on}`, unit: "s", value: spreadOf(restores.restore)},
  ]
}

export const checkpoint: Row = {
  name: "checkpoint",
  summary:
    "svc checkpoint create, verify, export and restore of a 1 GB database, and what clients wait meanwhile, against a process that writes as many bytes (Bun and Node 24)",
  measure: onOneNode(onEachRuntime(measureOn)),
}
