import {documentOf, type Examples, questionsOf, usualValues} from "../../support/host/questions.ts"
import type {TestRuntime} from "../../support/host/runtimes.ts"
import {backlogAgent, backlogJob, backlogPaths, numbered} from "../../support/messages/backlog.ts"
import {atMost, type Figure} from "../measure/figure.ts"
import type {BenchHost} from "../measure/host.ts"
import {spreadOf} from "../measure/statistics.ts"

/** The longest answer time of a list or a count, in milliseconds. */
const longest = 20

/** The number of lists to report, slowest first. */
const told = 12

/** The list that all others are compared with. */
const plainList = "/api/inbox?limit=50"

/** Example values from the middle of this many events. */
const examplesOf = (events: number): Examples => {
  const item = numbered(Math.ceil(events / 2))
  const first = numbered(1)
  return {
    paths: {
      ...backlogPaths(item),
      "/api/runs/{id}": `/api/runs/${first.runId}`,
      "/api/runs/{id}/context": `/api/runs/${first.runId}/context`,
      "/api/timers/{id}": `/api/timers/${first.timerId}`,
    },
    // Excludes single things that the project does not have, streams, searches through everything, and the API's
    // document, which reads no rows.
    apart: `/api/events /api/openapi.json /api/plugins/sandbox/stream /api/plugins/sandbox/changes /api/users/export
      /api/permissions/user /api/workroom/items/{id} /api/workroom/items/{id}/journal /api/jobs/{id}
      /api/jobs/{id}/next /api/checkpoints/{id} /api/checkpoints/{id}/archive`.split(/\s+/),
    values: {...usualValues, cursor: String(events), job: backlogJob, agent: backlogAgent},
  }
}

const timed = async (host: BenchHost, path: string): Promise<number> => {
  const begun = performance.now()
  await (await host.fetch(path)).arrayBuffer()
  return performance.now() - begun
}

/** A child process counts the tables, while the Host continues. */
const isCounted = (question: string) => !question.includes("tables=true")

/** Leaves out what a backlog does not have, and states that only agent runs or only job runs have. */
const isAnswered = async (host: BenchHost, question: string): Promise<boolean> =>
  timed(host, question).then(
    () => true,
    error => {
      const isMisfit = question.startsWith("/api/runs?") && String(error).includes("runs of ")
      if (isMisfit || String(error).includes(": 404 ")) return false
      throw error
    },
  )

/** For each path without its query, the times of its slowest request, by round. */
const slowestOf = async (
  host: BenchHost,
  events: number,
  rounds: number,
): Promise<ReadonlyMap<string, readonly number[]>> => {
  const document = await documentOf(host)
  const questions: string[] = []
  // The first answers load code and warm up the compiler.
  for (const question of questionsOf(document, examplesOf(events)).filter(isCounted))
    if (await isAnswered(host, question)) questions.push(question)
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

/** The slowest lists and counts of the API, with every filter, on a Host with this many inbox events. */
export const measureLists = async (
  host: BenchHost,
  runtime: TestRuntime,
  {events, rounds}: {readonly events: number; readonly rounds: number},
): Promise<readonly Figure[]> => {
  await timed(host, plainList)
  const plain: number[] = []
  for (let round = 0; round < rounds; round++) plain.push(await timed(host, plainList))
  const lists = [...(await slowestOf(host, events, rounds))].map(([path, times]) => ({path, value: spreadOf(times)}))
  return lists
    .sort((one, other) => other.value.median - one.value.median)
    .slice(0, told)
    .map(({path, value}) => ({
      name: `${path} on ${runtime.name}`,
      unit: "ms",
      value,
      target: atMost(longest),
      against: plainList,
      detail: `its slowest question is ${(value.median / spreadOf(plain).median).toFixed(1)} times the newest 50 events`,
    }))
}
