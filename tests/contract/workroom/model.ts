import type {Request} from "../../../server/workroom/workroom.ts"
import type {ItemState} from "../../../shared/api/item-rules.ts"
import type {Item} from "../../../shared/api/workroom.ts"

interface Modelled {
  state: ItemState
  revision: number
  assignee: string | null
  comments: number
}

/** The state after a command, by the state before it. Commands that are missing here are refused. */
const table: Readonly<Record<string, Readonly<Partial<Record<ItemState, ItemState>>>>> = {
  claim: {open: "active", active: "active", review: "active"},
  block: {active: "blocked"},
  unblock: {blocked: "active"},
  review: {active: "review"},
  accept: {review: "done"},
  cancel: {open: "cancelled", active: "cancelled", blocked: "cancelled", review: "cancelled"},
}

/** A workroom in a few lines, to compare the real one with. It keeps states and revisions in memory. */
export class WorkroomModel {
  readonly items: Modelled[] = []

  get count(): number {
    return this.items.length
  }

  revisionOf(id: number): number {
    return this.items[id - 1]?.revision ?? 0
  }

  /** Runs a command. Returns whether it was accepted. */
  run({item: id, command}: Request): boolean {
    if (command.is === "add") {
      this.items.push({state: "open", revision: 1, assignee: command.assignee, comments: 0})
      return true
    }
    const item = this.items[id - 1]
    if (item === undefined || command.is === "authority" || command.expectedRevision !== item.revision) return false
    const next = command.is === "comment" ? item.state : table[command.is]?.[item.state]
    if (next === undefined) return false
    item.state = next
    item.revision++
    if (command.is === "claim") item.assignee = command.assignee
    if (command.is === "comment") item.comments++
    return true
  }

  static of({state, revision, assignee, comments}: Item): Modelled {
    return {state, revision, assignee, comments: comments.length}
  }
}
