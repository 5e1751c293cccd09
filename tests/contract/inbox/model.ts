import {expect} from "vitest"
import {Chance, seedOf} from "../../support/machine/chance.ts"

export type End = "handled" | "threw" | "refused" | "timeout" | "hangs"

export interface Plan {
  /** Turns of the event loop before the end. */
  readonly turns: number
  readonly early: number
  readonly sends: number
  readonly writes: boolean
  /** Asks its user a question; an `expired` one has run out at once. */
  readonly asks: "question" | "expired" | "nothing"
  /** For a middleware: passes the event on, and then ends. */
  readonly passes: boolean
  readonly end: End
}

const ends: readonly End[] = [
  "handled",
  "handled",
  "handled",
  "handled",
  "threw",
  "threw",
  "refused",
  "timeout",
  "hangs",
]

/** The plan of a handler's nth run: the same for the same seed, whatever happened before. */
export const planOf = (seed: number, name: string, run: number, isCalm: boolean): Plan => {
  const chance = new Chance(seedOf(seed, `${name} ${run}`))
  return {
    turns: chance.below(4),
    early: chance.below(3),
    sends: chance.below(3),
    writes: chance.below(2) === 0,
    end: isCalm ? "handled" : chance.pick(ends),
    asks: chance.pick(["question", "question", "expired", "nothing", "nothing", "nothing"]),
    passes: chance.below(4) > 0,
  }
}

export const retriesOf = (seed: number, name: string): number => new Chance(seedOf(seed, `${name} retries`)).below(3)

export interface Mark {
  readonly state: string
  readonly failures: number
  readonly crashes: number
  readonly error: string | null
  readonly sends: readonly string[]
  readonly writes: readonly string[]
  /** The data kept with the question that it asked. */
  readonly asks: readonly string[]
  /** Outbox ids by ordinal. */
  readonly early: ReadonlyMap<number, string>
}

/** A middleware stopped the event before this handler had its turn. */
export const isPassedOver = ({state, error}: Mark): boolean =>
  state === "handled" && error?.startsWith("not run: ") === true

/** Facts about one handler of one event, known without the database. */
export class Track {
  readonly name: string
  readonly retries: number
  readonly plans: Plan[] = []
  readonly ended = new Map<number, End>()
  /** The results of `sendNow`, by ordinal: always the same. */
  readonly early = new Map<number, string>()
  /** Crashes since an operator last had it run again. */
  crashes = 0
  wasHeld = false
  wasDiscarded = false
  /** The question it received as the answered one: always the same. */
  question: string | undefined

  constructor(seed: number, name: string) {
    this.name = name
    this.retries = retriesOf(seed, name)
  }

  /** The results that a handled run leaves. */
  leftBy(run: number): Pick<Mark, "sends" | "writes" | "asks"> {
    const {sends = 0, writes = false, asks = "nothing"} = this.plans[run] ?? {}
    return {
      sends: Array.from({length: sends}, (_, n) => `${this.name} run ${run} send ${n}`),
      writes: writes ? [`${this.name} run ${run}`] : [],
      asks: asks === "nothing" ? [] : [`${this.name} run ${run}`],
    }
  }

  /** For a middleware: whether the handlers inside it may have run, because it passed the event on or failed. */
  get mayHavePassed(): boolean {
    const hasFailed = [...this.ended.values()].some(end => end !== "handled")
    return hasFailed || this.plans.some(({passes}) => passes) || this.crashes >= 2
  }

  /** Checks the promise for one mark: its state follows from what happened, and all or no results are there. */
  check(mark: Mark): void {
    const say = (what: string) =>
      `${this.name}: ${what}; ${JSON.stringify({mark, ended: [...this.ended], crashes: this.crashes})}`
    const {sends, writes, asks} = mark
    for (const [ordinal, id] of this.early) {
      expect(mark.early.get(ordinal), say(`sendNow ${ordinal} is stored under the id that it answered`)).toBe(id)
    }
    expect(mark.failures, say("no more failures than retries")).toBeLessThanOrEqual(this.retries)
    const last = [...this.ended.values()].at(-1)
    if (mark.state !== "handled" || isPassedOver(mark)) {
      expect(sends, say("what has not handled its event has sent nothing")).toEqual([])
      expect(writes, say("what has not handled its event has written nothing")).toEqual([])
      expect(asks, say("what has not handled its event has asked nothing")).toEqual([])
      if (isPassedOver(mark)) return
    }
    switch (mark.state) {
      case "handled": {
        const runs = [...this.ended].filter(([, end]) => end === "handled").map(([run]) => run)
        const left = runs.map(run => this.leftBy(run))
        expect(left, say("what one of its runs left, and nothing else, is stored")).toContainEqual({
          sends,
          writes,
          asks,
        })
        return
      }
      case "failed":
        expect(["threw", "refused", "timeout"], say("something failed")).toContain(last)
        if (last !== "timeout") expect(mark.failures, say("every retry was made")).toBe(this.retries)
        return
      case "dead":
        expect(this.crashes, say("two crashes make a suspect")).toBeGreaterThanOrEqual(2)
        expect(mark.error).toBe("suspected_crash")
        return
      case "held":
        expect(this.wasHeld, say("somebody held it")).toBe(true)
        return
      case "discarded":
        expect(this.wasDiscarded, say("somebody discarded it")).toBe(true)
        return
      default:
        expect(["pending", "running"], say("a state that there is")).toContain(mark.state)
        expect(this.crashes, say("what crashed twice is not pending")).toBeLessThan(mark.state === "pending" ? 2 : 3)
    }
  }
}
