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
  const decide = (act: () => void) => {
    if (!isDecided) {
      isDecided = true
      act()
    }
  }
  return {commit: item => decide(() => commit(item)), release: () => decide(release)}
}
