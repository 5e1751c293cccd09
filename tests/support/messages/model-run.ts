import {join} from "node:path"
import {expect} from "vitest"
import type {FaultName} from "../../../scripts/faults/table.ts"
import type {Database} from "../../../server/database/database.ts"
import {memoryFolder, open} from "../database/databases.ts"
import {faultRun} from "../machine/fault-run.ts"

/** Without a requested number of histories, as many as fit into this time, in milliseconds. */
const milliseconds = 8000

/** The limit of a test with a requested number of histories, which is effectively none. */
export const modelTimeout = 3_600_000

export interface Model {
  /** The number of histories in parallel, each on its own database. */
  readonly width: number
  prepare?(database: Database): Promise<unknown>
  /** Rejects if a promise did not hold. */
  run(seed: number, database: Database): Promise<void>
}

/** Runs histories, the first with the requested seed, and prints their number. A failure contains its own seed. */
export const runHistories = async (name: FaultName, {width, prepare, run}: Model): Promise<void> => {
  const {rounds: histories, seed: first} = faultRun(name)
  const end = histories === Infinity ? Date.now() + milliseconds : Infinity
  let seed = first
  const work = async () => {
    const database = await open({dialect: "sqlite", file: join(memoryFolder(), "data.sqlite")})
    await prepare?.(database)
    // At least one runs, however long the preparation of the database takes.
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
