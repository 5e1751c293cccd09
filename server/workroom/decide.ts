import type {Item} from "../../shared/api/workroom.ts"
import {Problem} from "../../shared/problems.ts"
import {type CatalogView, project} from "./store/catalog.ts"
import {chained, type Entry, type Head, type Recorded} from "./store/record.ts"
import {type ItemChange, mostComments, takenIn} from "./store/transitions.ts"

export type Decision =
  | {readonly is: "accepted"; readonly recorded: Recorded; readonly item: Item}
  /** The same request was carried out earlier; this is the item in its current state. */
  | {readonly is: "repeated"; readonly item: Item}
  | {readonly is: "refused"; readonly problem: Problem}

/** Decides a command against a Catalog: returns what the Journal must record, or why the command is refused. Pure. */
export const decide = (catalog: CatalogView, entry: Entry): Decision => {
  const {command} = entry
  if (command.is === "authority") throw new Error("only a restore takes over an authority")
  if (command.is === "add") {
    const added = command.request === undefined ? undefined : catalog.addedBy(command.request)
    return added === undefined ? accept(catalog, {...entry, item: catalog.count + 1}) : {is: "repeated", item: added}
  }
  const item = catalog.get(entry.item)
  if (item === undefined) {
    return refused(new Problem("workroom_unknown", `there is no work item ${entry.item}`))
  }
  if (command.request !== undefined && item.request === command.request) return {is: "repeated", item}
  const problem = objection(item, command)
  return problem === undefined ? accept(catalog, entry) : refused(problem)
}

const refused = (problem: Problem): Decision => ({is: "refused", problem})

const objection = (item: Item, command: ItemChange): Problem | undefined => {
  const {id, revision, state} = item
  if (command.expectedRevision !== revision) {
    const detail = `item ${id} is at revision ${revision} (${state}); the command was made against revision ${command.expectedRevision}`
    return new Problem("workroom_stale", detail, {current: item})
  }
  if (!takenIn[command.is].includes(state)) {
    const wanted = takenIn[command.is].join(" or ")
    return new Problem("workroom_state", `${command.is} needs an item that is ${wanted}; item ${id} is ${state}`, {
      current: item,
    })
  }
  if (command.is === "comment" && item.comments.length >= mostComments) {
    return new Problem("workroom_state", `item ${id} has ${mostComments} comments, which is the limit`, {current: item})
  }
  return undefined
}

const accept = (catalog: CatalogView, entry: Entry): Decision => {
  const recorded = chained(entry, catalog.head)
  const item = project(catalog, recorded.record)
  if (item === undefined) throw new Error("a command about an item leaves an item")
  return {is: "accepted", recorded, item}
}

/** A Catalog with unstored records on top. The commands of a group are decided against it, one after another. */
export class Draft implements CatalogView {
  readonly authority: string
  #head: Head
  #count: number
  readonly #base: CatalogView
  readonly #items = new Map<number, Item>()
  readonly #added = new Map<string, Item>()

  constructor(base: CatalogView) {
    this.#base = base
    this.authority = base.authority
    this.#head = base.head
    this.#count = base.count
  }

  get head(): Head {
    return this.#head
  }

  get count(): number {
    return this.#count
  }

  get(id: number): Item | undefined {
    return this.#items.get(id) ?? this.#base.get(id)
  }

  addedBy(request: string): Item | undefined {
    const item = this.#added.get(request) ?? this.#base.addedBy(request)
    return item === undefined ? undefined : this.get(item.id)
  }

  /** The items that the records on top have changed, in their new state. */
  get changed(): readonly Item[] {
    return [...this.#items.values()]
  }

  take({record: {seq, hash}}: Recorded, item: Item): void {
    this.#head = {seq, hash}
    this.#count = Math.max(this.#count, item.id)
    this.#items.set(item.id, item)
    if (item.revision === 1 && item.addedBy !== null) this.#added.set(item.addedBy, item)
  }
}
