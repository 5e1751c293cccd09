import {setImmediate as turn} from "node:timers/promises"
import {isProblem} from "../../shared/problems.ts"
import type {Database} from "./database.ts"
import type {Result, Statement} from "./engine/engine.ts"
import {ChangeFailed} from "./engine/errors.ts"

/** How to store several items together: each statement stores all of them (`json_each`). */
export interface Gathering<Item, Answer> {
  statements(items: readonly Item[]): readonly Statement[]
  /** Returns one answer for each item, in their order, from the results of the statements. */
  answers(results: readonly Result[], items: readonly Item[]): readonly Answer[]
  /** The number of characters in an item, if it may be large. */
  sizeOf?(item: Item): number
}

/** The most items and characters of one batch. A batch is one statement, and blocks everything else while it runs. */
const largest = {items: 256, characters: 1024 ** 2}

/**
 * Stores all items of one turn of the event loop in one batch, in their order. A statement for many rows costs little
 * more than a statement for one. If the database refuses the batch or fails on it alone, each item gets
 * a separate batch, so that no item fails because of another.
 */
export class Gather<Item, Answer> {
  readonly #database: Pick<Database, "write">
  readonly #gathering: Gathering<Item, Answer>
  #waiting: Waiting<Item, Answer>[] = []

  constructor(database: Pick<Database, "write">, gathering: Gathering<Item, Answer>) {
    this.#database = database
    this.#gathering = gathering
  }

  /** Stores an item. Durable when it resolves. Throws the errors of `Database.write`. */
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
      if (batch.length > 1 && (isProblem(error, "database_refused") || error instanceof ChangeFailed)) {
        for (const each of batch) void this.#write([each])
      } else for (const {reject} of batch) reject(error)
    }
  }
}

/** Returns the first item of each key, in their order: a batch stores a repeated key once. */
export const firstOfEach = <Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly Item[] =>
  [...Map.groupBy(items, keyOf).values()].flatMap(same => same.slice(0, 1))

interface Waiting<Item, Answer> {
  readonly item: Item
  readonly size: number
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}
