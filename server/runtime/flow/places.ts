interface Owned {
  /** Lanes that want a place, in the order in which they asked. */
  readonly wanting: Set<string>
  /** How many of its lanes have a place. */
  taken: number
}

/** The places of lanes: `widthOf` each owner, so that no owner waits for the lanes of another. */
export class Places {
  readonly #widthOf: (owner: string) => number
  readonly #ownerOf: (lane: string) => string
  #most = Number.POSITIVE_INFINITY
  /** Owners with a lane that has or wants a place. The owner that was served last is at the end. */
  readonly #owners = new Map<string, Owned>()
  readonly #taken = new Set<string>()

  constructor(widthOf: (owner: string) => number, ownerOf: (lane: string) => string) {
    this.#widthOf = widthOf
    this.#ownerOf = ownerOf
  }

  get taken(): number {
    return this.#taken.size
  }

  /** Does a lane want a place that it does not have? */
  get isWanted(): boolean {
    return [...this.#owners.values()].some(({wanting}) => wanting.size > 0)
  }

  has(lane: string): boolean {
    return this.#taken.has(lane)
  }

  /** Limits the places of all owners together. Lanes that have one keep it. */
  setMost(most: number): void {
    this.#most = most
  }

  want(lane: string): void {
    this.#owned(this.#ownerOf(lane)).wanting.add(lane)
  }

  /** Gives the lane a place if one is free. Returns whether it did. */
  take(lane: string): boolean {
    if (this.#taken.size >= this.#most) return false
    const owner = this.#ownerOf(lane)
    const owned = this.#owned(owner)
    if (owned.taken >= this.#widthOf(owner)) return false
    owned.taken++
    this.#taken.add(lane)
    return true
  }

  /** Gives a place to the next lane that wants one, taking owners in turn. Returns undefined if no lane can get one. */
  next(): string | undefined {
    if (this.#taken.size >= this.#most) return undefined
    for (const [owner, owned] of this.#owners) {
      const [lane] = owned.wanting
      if (lane === undefined || owned.taken >= this.#widthOf(owner)) continue
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
