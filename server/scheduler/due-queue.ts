/** Something that falls due, in milliseconds since 1970. */
interface Due {
  readonly at: number
}

/** A queue of due items, the earliest first. It is sorted: to move ten thousand references takes microseconds. */
export class DueQueue<T extends Due> {
  /** The latest first, so that taking the earliest moves nothing. */
  readonly #items: T[] = []

  get length(): number {
    return this.#items.length
  }

  peek(): T | undefined {
    return this.#items.at(-1)
  }

  clear(): void {
    this.#items.length = 0
  }

  push(item: T): void {
    let [low, high] = [0, this.#items.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#items[middle]?.at ?? 0) > item.at) low = middle + 1
      else high = middle
    }
    this.#items.splice(low, 0, item)
  }

  pop(): T | undefined {
    return this.#items.pop()
  }
}
