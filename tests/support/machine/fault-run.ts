import {onTestFailed} from "vitest"
import {type FaultName, faults} from "../../../scripts/faults/table.ts"

export * from "./chance.ts"

export interface FaultRun {
  readonly name: FaultName
  /** Infinity for as many as fit into the time of the test. */
  readonly rounds: number
  readonly seed: number
}

/** The seed of this run of the tests (`scripts/tests/programs.ts`); for a test that is started by hand, a new one. */
export const seedOfRun = (): number => Number(process.env.SVC_TEST_SEED ?? Date.now() % 1_000_000)

/** The values of `bun run faults`, or the defaults of `bun run check`. */
export const faultRun = (name: FaultName): FaultRun => {
  const {suite = Number.POSITIVE_INFINITY, seed = seedOfRun()} = faults[name]
  const {SVC_FAULT, SVC_FAULT_ROUNDS = suite, SVC_FAULT_SEED = seed} = process.env
  const [rounds, asked] = SVC_FAULT === name ? [SVC_FAULT_ROUNDS, SVC_FAULT_SEED] : [suite, seed]
  return {name, rounds: Number(rounds), seed: Number(asked)}
}

/** Call it first in the test: a failure prints the command that repeats it. */
export const tellHowToRepeat = ({name, rounds, seed}: FaultRun): void => {
  const more = Number.isFinite(rounds) ? ` --rounds ${rounds}` : ""
  onTestFailed(() => void process.stdout.write(`to run it again: bun run faults ${name}${more} --seed ${seed}\n`))
}
