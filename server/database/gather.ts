import {setImmediate as turn} from "node:timers/promises"
import {isProblem} from "../../shared/problems.ts"
import type {Database} from "./database.ts"
import type {Result, Statement} from "./engine.ts"

/** How items of one kind are stored together: each statement stores all of them (`json_each`). */
export interface Gathering<Item, Answer> {
  statements(items: readonly Item[]): readonly Statement[]
  /** One answer for each item, in their order, from the results of the statements. */
  answers(results: readonly Result[], items: readonly Item[]): readonly Answer[]
  /** The characters that an item brings along, where it may bring many. */
  sizeOf?(item: Item): number
}

/** One batch takes at most so many items, and characters: it is one statement, and nothing else runs meanwhile. */
const largest = {items: 256, characters: 1024 ** 2}

/**
 * Stores what is handed over in one turn of the event loop with one batch for all, in the order of handing over: a statement
 * for many rows costs little more than a statement for one. Where such a batch is refused, each of its items gets one of its
 * own, so that none is refused for another.
 */
export class Gather<Item, Answer> {
  readonly #database: Pick<Database, "write">
  readonly #gathering: Gathering<Item, Answer>
  #waiting: Waiting<Item, Answer>[] = []

  constructor(database: Pick<Database, "write">, gathering: Gathering<Item, Answer>) {
    this.#database = database
    this.#gathering = gathering
  }

  /** Durable when it resolves. Throws what `Database.write` throws. */
  store(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const size = this.#gathering.sizeOf?.(item) ?? 0
      this.#waiting.push({item, size, resolve, reject})
      if (this.#waiting.length === 1) void turn().then(() => this.#flush())
    })
  }

  #flush(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (let from = 0; from < waiting.length; ) {
      const until = this.#endOf(waiting, from)
      void this.#write(waiting.slice(from, until))
      from = until
    }
  }

  #endOf(waiting: readonly Waiting<Item, Answer>[], from: number): number {
    let end = from
    let characters = 0
    for (const {size} of waiting.slice(from, from + largest.items)) {
      characters += size
      if (end > from && characters > largest.characters) break
      end++
    }
    return end
  }

  async #write(batch: readonly Waiting<Item, Answer>[]): Promise<void> {
    const items = batch.map(({item}) => item)
    try {
      const results = await this.#database.write(this.#gathering.statements(items), items.length)
      const answers = this.#gathering.answers(results, items)
      for (const [index, answer] of answers.entries()) batch[index]?.resolve(answer)
    } catch (error) {
      if (batch.length > 1 && isProblem(error, "database_refused")) {
        for (const each of batch) void this.#write([each])
      } else for (const {reject} of batch) reject(error)
    }
  }
}

/** The first of each key, in their order: what stands twice in one batch is stored once. */
export const firstOfEach = <Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly Item[] =>
  [...Map.groupBy(items, keyOf).values()].flatMap(same => same.slice(0, 1))

interface Waiting<Item, Answer> {
  readonly item: Item
  readonly size: number
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}
