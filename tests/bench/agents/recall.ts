import {noEmbeddings} from "../../../server/agents/memory/embedder.ts"
import {MemoryIndex} from "../../../server/agents/memory/memory-index.ts"
import {marksOf} from "../../../server/agents/memory/places.ts"
import {recall} from "../../../server/agents/memory/recall.ts"
import {storingVector} from "../../../server/agents/memory/vectors.ts"
import {runOf} from "../../../server/agents/runs/run-rows.ts"
import type {Database} from "../../../server/database/database.ts"
import {jsonRows} from "../../../server/database/engine/json-rows.ts"
import {bindingOf} from "../../support/agents/bindings.ts"
import {log} from "../../support/host/silence.ts"
import {atMost, type Figure} from "../measure/figure.ts"
import {openScratch} from "../measure/scratch.ts"
import {percentile, spreadOf} from "../measure/statistics.ts"
import type {Row} from "../row.ts"

const memories = 100_000
const users = 1000
const questions = 500
const wordsOfMemory = 15
const wordsOfQuestion = 12
const vocabulary = 20_000
const dimensions = 384

/** A word by Zipf's law: few are in most texts. */
const word = (): string => `w${Math.floor(vocabulary ** Math.random()).toString(36)}x`
const text = (words: number): string => Array.from({length: words}, word).join(" ")

const placeOf = (user: number) => ({
  agent: "helper",
  endpoint: "line",
  channel: `@user${user}`,
  user: {id: `user${user}`},
  isDirect: true,
})

const rows = jsonRows(["user", "owner", "spot", "text"])
const insert = `INSERT INTO agent_memories (agent, scope, owner, spot, endpoint, channel, user, author, text, words, created_at, expires_at)
  SELECT 'helper', 'user', owner, spot, 'line', '@' || user, user, json_object('id', user), text, text, unixepoch() * 1000, 9e15
  FROM ${rows.source}`

const runOfUser = (user: number) => {
  const {channel, user: by, endpoint, agent} = placeOf(user)
  const place = JSON.stringify({channel: {id: channel, type: 1}, user: by})
  return runOf({seq: 1, agent, endpoint, channel, place, input: text(wordsOfQuestion), created_at: Date.now()})
}

/** A random direction, as an embedding model may return it. */
const direction = (): Float32Array<ArrayBuffer> => {
  const values = Float32Array.from({length: dimensions}, () => Math.random() - 0.5)
  const length = Math.hypot(...values)
  return values.map(value => value / length)
}

/** Gives each memory its vector. */
const embed = async (database: Database) => {
  for (let first = 0; first < memories; first += 1000)
    await database.write(Array.from({length: 1000}, (_, n) => storingVector(first + n + 1, "bench", direction())))
}

const timesOf = async (engine: Parameters<typeof recall>[0]) => {
  const binding = bindingOf({memory: {user: "30d", summary: "none", commands: false}})
  const times: number[] = []
  let found = 0
  for (let n = 0; n < questions; n++) {
    const began = performance.now()
    found += (await recall(engine, runOfUser(n % users), binding)).length
    times.push(performance.now() - began)
  }
  if (found < questions) throw new Error(`${questions} questions found ${found} memories`)
  return {
    times,
    detail: `${memories} memories of ${users} users; ${(found / questions).toFixed(1)} found for a question`,
  }
}

const measure = async (): Promise<readonly Figure[]> => {
  const {database} = await openScratch()
  const memoryIndex = new MemoryIndex({database, log})
  await memoryIndex.ready()
  const filled = performance.now()
  for (let first = 0; first < memories; first += 1000) {
    const some = Array.from({length: 1000}, (_, n) => (first + n) % users)
    const encoded = rows.encode(
      some.map(user => ({user: `user${user}`, ...marksOf(placeOf(user), "user"), text: text(wordsOfMemory)})),
    )
    await database.write([{sql: insert, args: [encoded]}])
  }
  const each = (performance.now() - filled) / memories
  const engine = {database, memoryIndex, embeddings: noEmbeddings, permissionOf: () => "user" as const}
  const {times, detail} = await timesOf(engine)
  await embed(database)
  const question = async () => ({source: "bench", vector: direction()})
  const meant = await timesOf({...engine, embeddings: {question}})
  await database.close()
  const more = `${meant.detail}; vectors of ${dimensions} numbers, without the call of their model`
  return [
    {name: "p50 of a recall", unit: "ms", value: spreadOf([percentile(times, 0.5)]), detail},
    {name: "p99 of a recall", unit: "ms", value: spreadOf([percentile(times, 0.99)]), target: atMost(20), detail},
    {name: "p50 with vectors", unit: "ms", value: spreadOf([percentile(meant.times, 0.5)]), detail: more},
    {
      name: "p99 with vectors",
      unit: "ms",
      value: spreadOf([percentile(meant.times, 0.99)]),
      target: atMost(20),
      detail: more,
    },
    {name: "a memory stored, with its index", unit: "ms", value: spreadOf([each])},
  ]
}

export const recalling: Row = {
  name: "recall",
  summary: "the memories for a question, in this process; no yardstick",
  measure,
}
