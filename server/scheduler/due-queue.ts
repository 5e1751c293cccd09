/** Something that falls due. */
interface Due {
  /** When, in milliseconds since 1970. */
  readonly at: number
}

/** A queue of due items, the earliest first: a binary heap, so that ten thousand items stay cheap. */
export class DueQueue<T extends Due> {
  readonly #heap: T[] = []

  get length(): number {
    return this.#heap.length
  }

  peek(): T | undefined {
    return this.#heap[0]
  }

  clear(): void {
    this.#heap.length = 0
  }

  push(item: T): void {
    const heap = this.#heap
    let index = heap.push(item) - 1
    while (index > 0) {
      const parent = (index - 1) >> 1
      const above = heap[parent]
      if (above === undefined || above.at <= item.at) break
      heap[index] = above
      index = parent
    }
    heap[index] = item
  }

  pop(): T | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (first === undefined || last === undefined || heap.length === 0) return first
    let index = 0
    for (;;) {
      const left = heap[index * 2 + 1]
      if (left === undefined) break
      const right = heap[index * 2 + 2]
      const isRight = right !== undefined && right.at < left.at
      const lesser = isRight ? right : left
      if (lesser.at >= last.at) break
      heap[index] = lesser
      index = index * 2 + (isRight ? 2 : 1)
    }
    heap[index] = last
    return first
  }
}
