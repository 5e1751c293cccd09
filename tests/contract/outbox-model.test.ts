import {existsSync, mkdtempSync, rmSync} from "node:fs"
import {tmpdir} from "node:os"
import {join} from "node:path"
import {expect, onTestFinished, test} from "vitest"
import {open} from "../support/databases.ts"
import {OutboxHistory} from "../support/outbox-history.ts"

/** The seed of the first history: a failure names its own, to see it again. */
const first = Number(process.env.SVC_MODEL_SEED ?? Date.now() % 1_000_000_000)
/** So many; without it, as many as fit into the time. */
const histories = process.env.SVC_MODEL_HISTORIES === undefined ? Infinity : Number(process.env.SVC_MODEL_HISTORIES)
const milliseconds = 20_000
/** Histories side by side, each on a database of its own: most of their time is waiting. */
const width = 12

/** The order of events is what is tested here, not the disk: where there is a disk in memory, the file is on it. */
const folder = (): string => {
  const made = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "svc-"))
  onTestFinished(() => rmSync(made, {recursive: true, force: true}))
  return made
}

test("whatever is sent, refused, timed out, cut off, paused, decided and restarted in whatever order, an outbox keeps its promise", async () => {
  const end = histories === Infinity ? Date.now() + milliseconds : Infinity
  let seed = first
  const work = async () => {
    const database = await open({dialect: "sqlite", file: join(folder(), "data.sqlite")})
    while (seed < first + histories && Date.now() < end) {
      const own = seed++
      await new OutboxHistory(own, database).run().catch(error => {
        throw new Error(`SVC_MODEL_SEED=${own} SVC_MODEL_HISTORIES=1: ${error.message}`, {cause: error})
      })
    }
  }
  await Promise.all(Array.from({length: Math.min(width, histories)}, work))
  process.stdout.write(`${seed - first} histories from SVC_MODEL_SEED=${first}\n`)
  expect(seed).toBeGreaterThan(first)
}, 3_600_000)
