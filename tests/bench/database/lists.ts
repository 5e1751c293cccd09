import {createClient} from "@libsql/client/sqlite3"
import {type ApiDocument, type Examples, questionsOf, usualValues} from "../../support/host/questions.ts"
import type {TestRuntime} from "../../support/host/runtimes.ts"
import {backlogJob, backlogStatements, endedBacklog, numbered} from "../../support/messages/backlog.ts"
import {requireRoom} from "../measure/ballast.ts"
import {databaseOf} from "../measure/during.ts"
import {atMost, type Figure} from "../measure/figure.ts"
import {type BenchHost, type BenchProject, makeProject, startHost} from "../measure/host.ts"
import {spreadOf} from "../measure/statistics.ts"
import {onEachRuntime, onOneNode, type Row, type RowOptions} from "../row.ts"

/** Events of the inbox, with a mark and a reply each. */
const events = 1_000_000

/** Runs, gaps and events of the log: what retention keeps of the first two. */
const others = 50_000

/** Milliseconds in which a list or a count answers. */
const longest = 20

const item = numbered(events / 2)

const examples: Examples = {
  paths: {
    "/api/inbox/{seq}": `/api/inbox/${item.seq}`,
    "/api/inbox/{seq}/trail": `/api/inbox/${item.seq}/trail`,
    "/api/outbox/{id}": `/api/outbox/${item.messageId}`,
    "/api/plugins/{plugin}": "/api/plugins/sandbox",
    "/api/generations/{number}/config": "/api/generations/1/config",
    "/api/runs/{id}": "/api/runs/run-1",
    "/api/timers/{id}": "/api/timers/timer-1",
  },
  // Single things that the project has none of, streams, what looks through everything, and the description, which reads no rows.
  apart: [
    "/api/events",
    "/api/openapi.json",
    "/api/plugins/sandbox/stream",
    "/api/users/export",
    "/api/workroom/items/{id}",
    "/api/workroom/items/{id}/journal",
    "/api/jobs/{id}",
    "/api/jobs/{id}/next",
    "/api/checkpoints/{id}",
  ],
  values: {...usualValues, cursor: String(events), job: backlogJob},
}

const fill = async (project: BenchProject): Promise<void> => {
  const client = createClient({url: `file:${databaseOf(project)}`, concurrency: 1})
  await client.execute("PRAGMA synchronous=OFF")
  const {rows} = await client.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
  const triggers = rows.map(({name, sql}) => ({name: String(name), sql: String(sql)}))
  for (const sql of backlogStatements(endedBacklog(events, others), triggers)) await client.execute(sql)
  await client.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  client.close()
}

const timed = async (host: BenchHost, path: string): Promise<number> => {
  const begun = performance.now()
  await (await host.fetch(path)).arrayBuffer()
  return performance.now() - begun
}

/** Counting the tables is a child process's work, and the Host goes on meanwhile. */
const isCounted = (question: string) => !question.includes("tables=true")

/** The paths without their queries, each with what its slowest question took, by rounds. */
const measureLists = async (host: BenchHost, rounds: number): Promise<ReadonlyMap<string, readonly number[]>> => {
  const document = (await (await host.fetch("/api/openapi.json")).json()) as ApiDocument
  const questions = questionsOf(document, examples).filter(isCounted)
  // The first answers load what they need, and are for the compiler.
  for (const question of questions) await timed(host, question)
  const slowest = new Map<string, number[]>()
  for (let round = 0; round < rounds; round++) {
    const found = new Map<string, number>()
    for (const question of questions) {
      const [path = ""] = question.split("?")
      found.set(path, Math.max(found.get(path) ?? 0, await timed(host, question)))
    }
    for (const [path, time] of found) slowest.set(path, [...(slowest.get(path) ?? []), time])
  }
  return slowest
}

const measureOn = async (runtime: TestRuntime, {pairs, progress}: RowOptions): Promise<readonly Figure[]> => {
  const project = makeProject("  sandbox: {}\n", {})
  requireRoom(project.folder, 3e9)
  await (await startHost(runtime, project)).stop()
  progress(`storing ${events} events`)
  await fill(project)
  progress(`asking on ${runtime.name}`)
  const host = await startHost(runtime, project)
  const yardstick = "/api/inbox?limit=50"
  await timed(host, yardstick)
  const plain = spreadOf(await inTurn(pairs, () => timed(host, yardstick)))
  const lists = await measureLists(host, pairs)
  await host.stop()
  project.remove()
  return [...lists]
    .sort(([, one], [, other]) => spreadOf(other).median - spreadOf(one).median)
    .slice(0, 12)
    .map(([path, times]) => ({
      name: `${path} on ${runtime.name}`,
      unit: "ms",
      value: spreadOf(times),
      target: atMost(longest),
      against: yardstick,
      detail: `its slowest question is ${(spreadOf(times).median / plain.median).toFixed(1)} times the newest 50 events`,
    }))
}

const inTurn = async (count: number, measure: () => Promise<number>): Promise<number[]> => {
  const times: number[] = []
  for (let index = 0; index < count; index++) times.push(await measure())
  return times
}

export const lists: Row = {
  name: "lists",
  summary: `every list and figure of the API with every filter, with ${events} events in the inbox: the slowest 12 (Bun and Node 24)`,
  measure: onOneNode(onEachRuntime(measureOn)),
}
