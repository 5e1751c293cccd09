import type {Condition} from "./condition.ts"
import {conditionOf} from "./words.ts"

const hour = 3_600_000
const mebibyte = 1024 ** 2

/** Both ends of the compared day are this many hours long. */
const ends = 6

/** Growth below this, in MiB a day, is no condition. */
const least = 16

/** Watches whether the memory of this run keeps growing. It compares lowest values, since garbage comes and goes. */
export class MemoryWatch {
  /** The lowest value of each hour, oldest first; the last hour is not complete. In bytes. */
  readonly #lows: number[] = []
  #hour: number | undefined

  /**
   * Records resident memory, in bytes, at a time of a monotonic clock, in milliseconds. Returns its growth within a day,
   * in MiB; undefined for a little growth, and in the first 31 hours, of which the first is a start.
   */
  take(bytes: number, now: number): number | undefined {
    const lows = this.#lows
    const current = Math.floor(now / hour)
    if (current === this.#hour) lows.push(Math.min(bytes, lows.pop() ?? bytes))
    else lows.push(bytes)
    this.#hour = current
    if (lows.length > 24 + ends + 2) lows.shift()
    if (lows.length < 24 + ends + 2) return undefined
    const lowest = (from: number) => Math.min(...lows.slice(from, from + ends))
    const grown = (lowest(25) - lowest(1)) / mebibyte
    return grown < least ? undefined : grown
  }
}

/** `held` has the bytes that each plugin's code allocated and that are still in use. Undefined means unknown. */
export const memoryCondition = (
  grown: number,
  held: ReadonlyMap<string | undefined, number> | undefined,
): Condition => {
  const all = [...(held ?? [])].reduce((sum, [, bytes]) => sum + bytes, 0)
  const most = [...(held ?? [])].find(([name, bytes]) => name !== undefined && bytes > all / 2)
  const owner = most && {plugin: most[0], most: Math.round(most[1] / mebibyte), all: Math.round(all / mebibyte)}
  return conditionOf("memory_growing", {grown: Math.round(grown), ...(owner ?? {unknown: ""})}, {value: grown})
}
