import {statSync} from "node:fs"
import {createClient} from "@libsql/client/sqlite3"
import type {TestRuntime} from "../../support/host/runtimes.ts"
import {backlogAgent, backlogStatements, endedBacklog} from "../../support/messages/backlog.ts"
import {requireRoom} from "../measure/ballast.ts"
import {scriptCommand} from "../measure/compiled.ts"
import {databaseOf} from "../measure/during.ts"
import {atMost, type Figure, ratioOf, short} from "../measure/figure.ts"
import {type BenchProject, configOf, makeProject, startHost, svc} from "../measure/host.ts"
import {measurePairs, pairsOf} from "../measure/pairs.ts"
import {runScript} from "../measure/process.ts"
import {spreadOf} from "../measure/statistics.ts"
import {onEachRuntime, onOneNode, type Row, type RowOptions} from "../row.ts"
import {measureLists} from "./backlog-lists.ts"

/** The number of runs, gaps and log events: what retention keeps of the first two. */
const others = 50_000

/** The approximate size of an event with its mark, its reply and its share of a checkpoint, in bytes. */
const room = 3000

/** How long a sample of retention lasts, in seconds. */
const watched = 10

/** A checkpoint of this database takes tens of seconds. */
const mostCheckpoints = 3

const emptyProject = async (runtime: TestRuntime): Promise<BenchProject> => {
  const project = makeProject("  sandbox: {}\n", {})
  const agent = `agents:\n  ${backlogAgent}: {provider: google, model: none, enabled: false}\n`
  project.write("svc.config.yml", `${configOf("  sandbox: {}\n")}${agent}`)
  await (await startHost(runtime, project)).stop()
  return project
}

const fill = async (project: BenchProject, events: number): Promise<void> => {
  const client = createClient({url: `file:${databaseOf(project)}`, concurrency: 1})
  await client.execute("PRAGMA synchronous=OFF")
  const {rows} = await client.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
  const triggers = rows.map(({name, sql}) => ({name: String(name), sql: String(sql)}))
  for (const sql of backlogStatements(endedBacklog(events, Math.min(others, events)), triggers))
    await client.execute(sql)
  await client.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  client.close()
}

const measureStart = async (runtime: TestRuntime, project: BenchProject, pairs: number): Promise<Figure> => {
  const empty = await emptyProject(runtime)
  const startOf = (some: BenchProject) => async () => {
    const host = await startHost(runtime, some)
    await host.stop()
    return host.startedIn
  }
  const measured = await measurePairs(pairs, startOf(project), startOf(empty))
  empty.remove()
  return ratioOf(`start on ${runtime.name}`, measured, "an empty database", "ms")
}

interface Swept {
  readonly rate: number
  readonly cost: number
  readonly calm: number
  readonly busy: number
}

/** Runs the retention in a separate process; the Host is stopped. */
const measureRetention = async (
  runtime: TestRuntime,
  project: BenchProject,
  rounds: number,
): Promise<readonly Figure[]> => {
  const command = await scriptCommand(runtime, "tests/bench/database/work/sweep.ts")
  const samples: Swept[] = []
  for (let round = 0; round < rounds; round++)
    samples.push(await runScript<Swept>([...command, databaseOf(project), String(watched)]))
  const cost = spreadOf(samples.map(({cost}) => cost))
  const waits = pairsOf(
    samples.map(({busy}) => busy),
    samples.map(({calm}) => calm),
  )
  return [
    {
      name: `events that retention drops on ${runtime.name}`,
      unit: "/s",
      value: spreadOf(samples.map(({rate}) => rate)),
      detail: `${short(cost.median)} ms of the processor for a thousand`,
    },
    ratioOf(`  p99 of a write meanwhile on ${runtime.name}`, waits, "the same without retention", "ms"),
  ]
}

/** Creates a checkpoint, and verifies it by a restore into a scratch folder; the Host is stopped. */
const measureCheckpoint = async (runtime: TestRuntime, project: BenchProject, rounds: number): Promise<Figure> => {
  const seconds: number[] = []
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now()
    await svc(runtime, project, ["checkpoint", "create"])
    seconds.push((performance.now() - begun) / 1000)
    await svc(runtime, project, ["checkpoint", "prune", "--keep", "1"])
  }
  return {
    name: `a verified checkpoint on ${runtime.name}`,
    unit: "s",
    value: spreadOf(seconds),
    target: atMost(60),
    detail: `of ${short(statSync(databaseOf(project)).size / 1e6)} MB`,
  }
}

const measureOn = async (runtime: TestRuntime, {pairs, events, progress}: RowOptions): Promise<readonly Figure[]> => {
  const project = await emptyProject(runtime)
  requireRoom(project.folder, events * room)
  progress(`storing ${events} events`)
  await fill(project, events)
  progress(`starts on ${runtime.name}`)
  const start = await measureStart(runtime, project, pairs)
  progress(`lists on ${runtime.name}`)
  const host = await startHost(runtime, project)
  const lists = await measureLists(host, runtime, {events, rounds: pairs})
  await host.stop()
  progress(`checkpoints on ${runtime.name}`)
  const checkpoint = await measureCheckpoint(runtime, project, Math.min(pairs, mostCheckpoints))
  // Last, because it deletes events.
  progress(`retention on ${runtime.name}`)
  const retention = await measureRetention(runtime, project, pairs)
  project.remove()
  return [start, ...lists, checkpoint, ...retention]
}

export const backlog: Row = {
  name: "backlog",
  summary:
    "a million events in the inbox (--rows says how many): start, the slowest 12 of all lists with every filter, a checkpoint, retention (Bun and Node 24)",
  mostPairs: 1,
  measure: onOneNode(onEachRuntime(measureOn)),
}
