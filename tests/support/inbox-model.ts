import {expect} from "vitest"
import {Chance, seedOf} from "./chance.ts"

/** What a handler does in one of its runs. */
export type End = "handled" | "threw" | "refused" | "timeout" | "hangs"

export interface Plan {
  /** Turns of the event loop before its end. */
  readonly turns: number
  readonly early: number
  readonly sends: number
  readonly writes: boolean
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

/** What a handler does in its nth run: the same for the same seed, whatever happened before. */
export const planOf = (seed: number, name: string, run: number, isCalm: boolean): Plan => {
  const chance = new Chance(seedOf(seed, `${name} ${run}`))
  return {
    turns: chance.below(4),
    early: chance.below(3),
    sends: chance.below(3),
    writes: chance.below(2) === 0,
    end: isCalm ? "handled" : chance.pick(ends),
  }
}

export const retriesOf = (seed: number, name: string): number => new Chance(seedOf(seed, `${name} retries`)).below(3)

/** What the database has of one handler of one event. */
export interface Mark {
  readonly state: string
  readonly failures: number
  readonly crashes: number
  readonly error: string | null
  readonly sends: readonly string[]
  readonly writes: readonly string[]
  /** Outbox ids by ordinal. */
  readonly early: ReadonlyMap<number, string>
}

/** What is known of one handler of one event without the database. */
export class Track {
  readonly name: string
  readonly retries: number
  readonly plans: Plan[] = []
  /** Runs that came to their end, by their number. */
  readonly ended = new Map<number, End>()
  /** What `sendNow` answered, by ordinal: always the same. */
  readonly early = new Map<number, string>()
  /** Since an operator last had it run again. */
  crashes = 0
  wasHeld = false
  wasDiscarded = false

  constructor(seed: number, name: string) {
    this.name = name
    this.retries = retriesOf(seed, name)
  }

  sendsOf(run: number): string[] {
    return Array.from({length: this.plans[run]?.sends ?? 0}, (_, n) => `${this.name} run ${run} send ${n}`)
  }

  /** The promise, for one mark: a state that what happened explains, and what its end left, all of it or nothing. */
  check(mark: Mark): void {
    const say = (what: string) =>
      `${this.name}: ${what}; ${JSON.stringify({mark, ended: [...this.ended], crashes: this.crashes})}`
    for (const [ordinal, id] of this.early) {
      expect(mark.early.get(ordinal), say(`sendNow ${ordinal} is stored under the id that it answered`)).toBe(id)
    }
    expect(mark.failures, say("no more failures than retries")).toBeLessThanOrEqual(this.retries)
    const last = [...this.ended.values()].at(-1)
    if (mark.state !== "handled") {
      expect(mark.sends, say("what has not handled its event has sent nothing")).toEqual([])
      expect(mark.writes, say("what has not handled its event has written nothing")).toEqual([])
    }
    switch (mark.state) {
      case "handled": {
        const runs = [...this.ended].filter(([, end]) => end === "handled").map(([run]) => run)
        const left = runs.map(run => ({sends: this.sendsOf(run), writes: this.writesOf(run)}))
        expect(left, say("what one of its runs left, and nothing else, is stored")).toContainEqual({
          sends: mark.sends,
          writes: mark.writes,
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

  writesOf(run: number): string[] {
    return this.plans[run]?.writes === true ? [`${this.name} run ${run}`] : []
  }
}
