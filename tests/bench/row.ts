import type {TestRuntime} from "../support/runtimes.ts"
import type {Figure} from "./measure/figure.ts"

export interface RowOptions {
  /** How many pairs are measured; a result needs seven. */
  readonly pairs: number
  /** What the Host runs on. */
  readonly runtimes: readonly TestRuntime[]
  /** How many records the Journal has that is opened. */
  readonly records: number
  /** Says what is being done. */
  readonly progress: (text: string) => void
}

/** One row of the targets. */
export interface Row {
  readonly name: string
  /** What it measures, and against what. */
  readonly summary: string
  measure(options: RowOptions): Promise<readonly Figure[]>
}
