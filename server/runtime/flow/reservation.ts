/** A place reserved for an item that is about to arrive. The first call decides; later calls do nothing. */
export interface Reservation<T> {
  /** The item has arrived and takes its place. */
  commit(item: T): void
  /** The item does not arrive. Frees the place. */
  release(): void
}

/** A reservation that calls one of these two functions, once. */
export const reserve = <T>(commit: (item: T) => void, release: () => void): Reservation<T> => {
  let isDecided = false
  return {
    commit: item => {
      if (isDecided) return
      isDecided = true
      commit(item)
    },
    release: () => {
      if (isDecided) return
      isDecided = true
      release()
    },
  }
}
