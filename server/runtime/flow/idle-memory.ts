import {performance} from "node:perf_hooks"
import {getHeapStatistics, setFlagsFromString} from "node:v8"
import {runInNewContext} from "node:vm"

/** How often it is looked at, in milliseconds. */
const lookEvery = 10_000

/** The event loop rests where it worked for less than this share of the time. */
const restful = 0.05

/** A collection is worth its pause where the heap has grown by this factor since the one before, and by so many bytes. */
const worthwhile = {factor: 1.25, bytes: 16 * 1024 * 1024} as const

/** One that took longer, in milliseconds, was the last: V8 is left to do it piece by piece. */
const longest = 100

/**
 * Gives memory back to the system while the Host rests. V8 collects when a program asks for memory, so a Host that is left alone
 * keeps what a rush has made it take: 290 MB after 78,000 malformed requests, and 120 MB once it has collected (measured on Node 24;
 * 20 ms). For Node; Bun does it by itself.
 */
export const returnIdleMemory = (): void => {
  let kept = 0
  let collect: (() => void) | undefined
  let before = performance.eventLoopUtilization()
  const look = () => {
    const now = performance.eventLoopUtilization()
    const {utilization} = performance.eventLoopUtilization(now, before)
    before = now
    const {total_heap_size: total} = getHeapStatistics()
    const isWorthwhile = total > kept * worthwhile.factor && total - kept > worthwhile.bytes
    if (utilization > restful || !isWorthwhile) return
    collect ??= loadCollector()
    const began = performance.now()
    collect()
    kept = getHeapStatistics().total_heap_size
    if (performance.now() - began > longest) clearInterval(looking)
  }
  const looking = setInterval(look, lookEvery)
  looking.unref()
}

/** V8's own function, which a flag shows to contexts that are made after it. */
const loadCollector = (): (() => void) => {
  setFlagsFromString("--expose-gc")
  return runInNewContext("gc") as () => void
}
