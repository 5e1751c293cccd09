/**
 * Which plugin code is running, in memory that another thread can read while this one is blocked. Each slot holds a
 * name and how many calls of it are in progress; `current` is the slot whose code runs synchronously.
 */
export const slotLayout = {heartbeat: 0, current: 1, firstCount: 2, slots: 4096, nameBytes: 160} as const

const {current, firstCount, slots, nameBytes} = slotLayout
const countBytes = (firstCount + slots) * 4

/** The buffer for the watchdog. The system allocates memory only for the parts that are written. */
export const handlerSlots = new SharedArrayBuffer(countBytes + slots * nameBytes)

export const slotViews = (shared: SharedArrayBuffer): {numbers: Int32Array; names: Uint8Array} => ({
  numbers: new Int32Array(shared, 0, firstCount + slots),
  names: new Uint8Array(shared, countBytes),
})

const {numbers, names} = slotViews(handlerSlots)
const slotOf = new Map<string, number>()
const encoder = new TextEncoder()

/** Slot 0 means no handler. It also stands for every name beyond the last slot. */
const slotFor = (name: string): number => {
  const known = slotOf.get(name)
  if (known !== undefined) return known
  const slot = slotOf.size + 1
  if (slot >= slots) return 0
  slotOf.set(name, slot)
  names.set(encoder.encode(name).subarray(0, nameBytes), slot * nameBytes)
  return slot
}

const waiting = new Set<() => void>()

/** Calls `wake` once, before `showRunning` runs something. Returns a function that cancels it. */
export const beforeNextRun = (wake: () => void): (() => void) => {
  waiting.add(wake)
  return () => void waiting.delete(wake)
}

/** Runs `work` while the watchdog can read its name: the id of a capability, or `svc: …` for the Host's own work. */
export const showRunning = <T>(name: string, work: () => T): T => {
  for (const wake of waiting) if (waiting.delete(wake)) wake()
  const before = numbers[current] ?? 0
  numbers[current] = slotFor(name)
  try {
    return work()
  } finally {
    numbers[current] = before
  }
}

/** Counts a call until the returned function is called: after a wait, the call may continue at any time. */
export const countRunning = (name: string): (() => void) => {
  const at = firstCount + slotFor(name)
  Atomics.add(numbers, at, 1)
  return () => void Atomics.sub(numbers, at, 1)
}

/** Tells the watchdog that the event loop is running. */
export const beat = (): void => {
  Atomics.add(numbers, slotLayout.heartbeat, 1)
}
