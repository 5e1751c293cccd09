/**
 * What the plugins' code does now, in memory that another thread can read while this one is blocked. Slots hold names and
 * how many calls of each run; `current` is the one whose code runs synchronously.
 */
export const slotLayout = {heartbeat: 0, current: 1, firstCount: 2, slots: 4096, nameBytes: 160} as const

const {current, firstCount, slots, nameBytes} = slotLayout
const countBytes = (firstCount + slots) * 4

/** The buffer that a watchdog gets. The system gives memory for what is written of it. */
export const handlerSlots = new SharedArrayBuffer(countBytes + slots * nameBytes)

export const slotViews = (shared: SharedArrayBuffer): {numbers: Int32Array; names: Uint8Array} => ({
  numbers: new Int32Array(shared, 0, firstCount + slots),
  names: new Uint8Array(shared, countBytes),
})

const {numbers, names} = slotViews(handlerSlots)
const slotOf = new Map<string, number>()
const encoder = new TextEncoder()

/** Slot 0 is nobody, and every name past the last slot. */
const slotFor = (name: string): number => {
  const known = slotOf.get(name)
  if (known !== undefined) return known
  const slot = slotOf.size + 1
  if (slot >= slots) return 0
  slotOf.set(name, slot)
  names.set(encoder.encode(name).subarray(0, nameBytes), slot * nameBytes)
  return slot
}

/** Runs `work` with its name where a watchdog reads it. */
export const showRunning = <T>(name: string, work: () => T): T => {
  const before = numbers[current] ?? 0
  numbers[current] = slotFor(name)
  try {
    return work()
  } finally {
    numbers[current] = before
  }
}

/** Counts a call from now until the returned function is called: it may go on after a wait. */
export const countRunning = (name: string): (() => void) => {
  const at = firstCount + slotFor(name)
  Atomics.add(numbers, at, 1)
  return () => void Atomics.sub(numbers, at, 1)
}

/** Tells a watchdog that the event loop turns. */
export const beat = (): void => {
  Atomics.add(numbers, slotLayout.heartbeat, 1)
}
