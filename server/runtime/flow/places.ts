/** Lanes of one owner. */
interface Owned {
  /** Those that want a place, in the order in which they came to want one. */
  readonly wanting: Set<string>
  /** So many have one. */
  taken: number
}

/** The places of lanes: `width` for each owner, so that no owner waits for what another one's lanes do. */
export class Places {
  readonly #width: number
  readonly #ownerOf: (lane: string) => string
  #most = Number.POSITIVE_INFINITY
  /** Owners with a lane that has or wants a place; whose turn came last stands last. */
  readonly #owners = new Map<string, Owned>()
  readonly #taken = new Set<string>()

  constructor(width: number, ownerOf: (lane: string) => string) {
    this.#width = width
    this.#ownerOf = ownerOf
  }

  get taken(): number {
    return this.#taken.size
  }

  /** Does a lane want a place and have none? */
  get isWanted(): boolean {
    return [...this.#owners.values()].some(({wanting}) => wanting.size > 0)
  }

  /** Has this lane a place? */
  has(lane: string): boolean {
    return this.#taken.has(lane)
  }

  /** All owners together get so many places from now on; who has one keeps it. */
  setMost(most: number): void {
    this.#most = most
  }

  want(lane: string): void {
    this.#owned(this.#ownerOf(lane)).wanting.add(lane)
  }

  /** Gives the lane a place where one is free. */
  take(lane: string): boolean {
    if (this.#taken.size >= this.#most) return false
    const owned = this.#owned(this.#ownerOf(lane))
    if (owned.taken >= this.#width) return false
    owned.taken++
    this.#taken.add(lane)
    return true
  }

  /** Gives a place to the next lane that wants one, owners by turns; undefined where none is free for any. */
  next(): string | undefined {
    if (this.#taken.size >= this.#most) return undefined
    for (const [owner, owned] of this.#owners) {
      const [lane] = owned.wanting
      if (lane === undefined || owned.taken >= this.#width) continue
      owned.wanting.delete(lane)
      owned.taken++
      this.#taken.add(lane)
      this.#owners.delete(owner)
      this.#owners.set(owner, owned)
      return lane
    }
    return undefined
  }

  leave(lane: string): void {
    if (!this.#taken.delete(lane)) return
    const owner = this.#ownerOf(lane)
    const owned = this.#owned(owner)
    owned.taken--
    if (owned.taken === 0 && owned.wanting.size === 0) this.#owners.delete(owner)
  }

  #owned(owner: string): Owned {
    const known = this.#owners.get(owner) ?? {wanting: new Set<string>(), taken: 0}
    this.#owners.set(owner, known)
    return known
  }
}
