import {join} from "node:path"
import {expect} from "vitest"
import type {FaultName} from "../../../scripts/faults/table.ts"
import type {Database} from "../../../server/database/database.ts"
import {open} from "../database/databases.ts"
import {faultRun} from "../machine/fault-run.ts"
import {memoryFolder} from "../machine/memory-folder.ts"

/** Where no number of histories is asked for, as many as fit into this time. */
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

/** Runs histories, the first with the seed that was asked for, and prints how many there were. A failure names its own seed. */
export const runHistories = async (name: FaultName, {width, prepare, run}: Model): Promise<void> => {
  const {rounds: histories, seed: first} = faultRun(name)
  const end = histories === Infinity ? Date.now() + milliseconds : Infinity
  let seed = first
  const work = async () => {
    const database = await open({dialect: "sqlite", file: join(memoryFolder(), "data.sqlite")})
    await prepare?.(database)
    // The first one has its time, however long the database takes.
    while (seed < first + histories && (seed === first || Date.now() < end)) {
      const own = seed++
      await run(own, database).catch(error => {
        throw new Error(`bun run faults ${name} --rounds 1 --seed ${own}: ${error.message}`, {cause: error})
      })
    }
  }
  await Promise.all(Array.from({length: Math.min(width, histories)}, work))
  process.stdout.write(`${name}: ${seed - first} histories from seed ${first}\n`)
  expect(seed).toBeGreaterThan(first)
}
