import {onTestFailed} from "vitest"
import {type FaultName, faults} from "../../../scripts/faults/table.ts"

/** How much of a fault test is done, and from which choices. */
export interface FaultRun {
  readonly name: FaultName
  /** Infinity where as many as fit into the time of the test are done. */
  readonly rounds: number
  readonly seed: number
}

/** What `bun run faults` asks for, else what `bun run check` does. */
export const faultRun = (name: FaultName): FaultRun => {
  const {suite = Number.POSITIVE_INFINITY, seed = Date.now() % 1_000_000} = faults[name]
  const {SVC_FAULT_ROUNDS: rounds = suite, SVC_FAULT_SEED: asked = seed} = process.env
  return {name, rounds: Number(rounds), seed: Number(asked)}
}

/** Call it first in the test: one that fails prints the command that runs it again. */
export const tellHowToRepeat = ({name, rounds, seed}: FaultRun): void => {
  const more = Number.isFinite(rounds) ? ` --rounds ${rounds}` : ""
  onTestFailed(() => void process.stdout.write(`to run it again: bun run faults ${name}${more} --seed ${seed}\n`))
}
