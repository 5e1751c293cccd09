/** Reads again when the last reading is older than the interval. A failed reading is repeated at the next call. */
export const every = <T>(milliseconds: number, read: () => Promise<T>, now = Date.now): (() => Promise<T>) => {
  let last: {readonly at: number; readonly value: Promise<T>} | undefined
  return () => {
    if (last === undefined || now() - last.at >= milliseconds || now() < last.at) {
      const reading = {at: now(), value: read()}
      reading.value.catch(() => {
        if (last === reading) last = undefined
      })
      last = reading
    }
    return last.value
  }
}

/** Makes a value once for each object, and forgets it with the object. */
export const oncePer = <O extends object, T>(make: (of: O) => T): ((of: O) => T) => {
  const made = new WeakMap<O, T>()
  return of => {
    const known = made.get(of)
    if (known !== undefined) return known
    const value = make(of)
    made.set(of, value)
    return value
  }
}

/** Keeps the first successful reading. */
export const once = <T>(read: () => Promise<T>): (() => Promise<T>) => every(Number.POSITIVE_INFINITY, read, () => 0)
