import type {Request} from "../../../../server/workroom/workroom.ts"
import type {Command} from "../../../../shared/api/workroom.ts"

/** The authority of all measured workrooms. */
export const authority = "6f1c1e9e-0000-4000-8000-00000000be7c"

/** The commands of an item's life, in order; the first adds it. */
const life = (item: number): readonly Command[] => [
  {
    is: "add",
    title: `Renew the certificate of host ${item}`,
    description: "It ends this month; the old one stays in place until the new one answers.",
    priority: "normal",
    labels: ["ops", "tls"],
    assignee: null,
    conversation: null,
    request: `ticket-${item}`,
  },
  {is: "claim", expectedRevision: 1, assignee: "user:ada"},
  {is: "block", expectedRevision: 2, reason: "waiting for the parts", owner: "user:grace", deadline: null},
  {is: "unblock", expectedRevision: 3},
  {is: "comment", expectedRevision: 4, text: "The new one is in place; please look at it once more."},
  {is: "review", expectedRevision: 5},
  {is: "accept", expectedRevision: 6},
]

/** Parallel commands: each group has its own items, which go through their lives together. */
export class Groups {
  readonly #size: number
  #first = 1
  #step = 0

  constructor(size: number) {
    this.#size = size
  }

  next(): Request[] {
    const group = Array.from({length: this.#size}, (_, index) => this.#first + index).flatMap(item => {
      const command = life(item)[this.#step]
      return command === undefined ? [] : [{actor: "user:ada", item: command.is === "add" ? 0 : item, command}]
    })
    this.#step = (this.#step + 1) % life(0).length
    if (this.#step === 0) this.#first += this.#size
    return group
  }
}
