import type {TestRuntime} from "../support/host/runtimes.ts"
import type {Figure} from "./measure/figure.ts"

export interface RowOptions {
  /** How many pairs are measured; a result needs seven. */
  readonly pairs: number
  /** What the Host runs on. */
  readonly runtimes: readonly TestRuntime[]
  /** How many records the Journal has that is opened. */
  readonly records: number
  /** How many events the inbox has of a Host with a backlog. */
  readonly events: number
  /** Says what is being done. */
  readonly progress: (text: string) => void
}

/** One row of the targets. */
export interface Row {
  readonly name: string
  /** What it measures, and against what. */
  readonly summary: string
  /** A comparison takes no more pairs: one sample takes minutes. */
  readonly mostPairs?: number
  measure(options: RowOptions): Promise<readonly Figure[]>
}

/** Measures one runtime after the other. */
export const onEachRuntime =
  (measureOn: (runtime: TestRuntime, options: RowOptions) => Promise<readonly Figure[]>): Row["measure"] =>
  async options => {
    const figures: Figure[] = []
    for (const runtime of options.runtimes) {
      options.progress(`on ${runtime.name}`)
      figures.push(...(await measureOn(runtime, options)))
    }
    return figures
  }

/** Leaves Node 22 out, unless it is all that was asked for. */
export const onOneNode =
  (measure: Row["measure"]): Row["measure"] =>
  options => {
    const {runtimes} = options
    return measure({...options, runtimes: runtimes.filter(({name}) => runtimes.length === 1 || name !== "node22")})
  }
