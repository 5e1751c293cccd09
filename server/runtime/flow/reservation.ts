/** A place that is kept for something that is about to come. The first call decides; later calls do nothing. */
export interface Reservation<T> {
  /** It has come, and takes its place. */
  commit(item: T): void
  /** It does not come: the place is free again. */
  release(): void
}

/** A reservation that runs one of these two, once. */
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
