import {join} from "node:path"
import {expect} from "vitest"
import type {Database} from "../../../server/database/database.ts"
import {open} from "../database/databases.ts"
import {memoryFolder} from "../machine/memory-folder.ts"

/** The seed of the first history: a failure names its own, to see it again. */
const first = Number(process.env.SVC_MODEL_SEED ?? Date.now() % 1_000_000_000)
/** So many; without it, as many as fit into the time. */
const histories = process.env.SVC_MODEL_HISTORIES === undefined ? Infinity : Number(process.env.SVC_MODEL_HISTORIES)
const milliseconds = 8000

/** A test with as many histories as are asked for needs a limit that is none. */
export const modelTimeout = 3_600_000

export interface Model {
  /** Histories side by side, each on a database of its own. */
  readonly width: number
  prepare?(database: Database): Promise<unknown>
  /** Rejects where a promise did not hold. */
  run(seed: number, database: Database): Promise<void>
}

/** Runs histories from random seeds, and prints how many there were. */
export const runHistories = async ({width, prepare, run}: Model): Promise<void> => {
  const end = histories === Infinity ? Date.now() + milliseconds : Infinity
  let seed = first
  const work = async () => {
    const database = await open({dialect: "sqlite", file: join(memoryFolder(), "data.sqlite")})
    await prepare?.(database)
    // The first one has its time, however long the database takes.
    while (seed < first + histories && (seed === first || Date.now() < end)) {
      const own = seed++
      await run(own, database).catch(error => {
        throw new Error(`SVC_MODEL_SEED=${own} SVC_MODEL_HISTORIES=1: ${error.message}`, {cause: error})
      })
    }
  }
  await Promise.all(Array.from({length: Math.min(width, histories)}, work))
  process.stdout.write(`${seed - first} histories from SVC_MODEL_SEED=${first}\n`)
  expect(seed).toBeGreaterThan(first)
}
