import type {TestRuntime} from "../support/host/runtimes.ts"
import type {Figure} from "./measure/figure.ts"

export interface RowOptions {
  /** The number of pairs; a result needs seven. */
  readonly pairs: number
  readonly runtimes: readonly TestRuntime[]
  /** The number of inbox events of a Host with a backlog. */
  readonly events: number
  readonly progress: (text: string) => void
}

export interface Row {
  readonly name: string
  /** What it measures, and the yardstick. */
  readonly summary: string
  /** The highest number of pairs in a comparison, for rows whose samples take minutes. */
  readonly mostPairs?: number
  measure(options: RowOptions): Promise<readonly Figure[]>
}

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

/** Leaves out Node 22, unless only Node 22 was requested. */
export const onOneNode =
  (measure: Row["measure"]): Row["measure"] =>
  options => {
    const {runtimes} = options
    return measure({...options, runtimes: runtimes.filter(({name}) => runtimes.length === 1 || name !== "node22")})
  }
