import type {ItemState} from "../../shared/api/item-rules.ts"
import {type Item, type Priority, priorities} from "../../shared/api/workroom.ts"
import type {BoardItem, BoardView} from "../../shared/api/workroom-board.ts"

/** The order of the columns, from what blocks others to what is finished. */
const columns: readonly ItemState[] = ["blocked", "open", "active", "review", "done", "cancelled"]

type Order = (one: Item, other: Item) => number

const rank = Object.fromEntries(priorities.map((priority, index) => [priority, index])) as Record<Priority, number>

/** Items without a deadline sort after items with one. */
const deadlineOf = ({blocker}: Item): string => blocker?.deadline ?? "~"

const byUrgency: Order = (one, other) => rank[other.priority] - rank[one.priority] || one.id - other.id
const byDeadline: Order = (one, other) => compare(deadlineOf(one), deadlineOf(other)) || byUrgency(one, other)
const byEnd: Order = (one, other) => compare(other.updatedAt, one.updatedAt) || other.id - one.id

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

const orders: Readonly<Record<ItemState, Order>> = {
  blocked: byDeadline,
  open: byUrgency,
  active: byUrgency,
  review: byUrgency,
  done: byEnd,
  cancelled: byEnd,
}

/** Sorts items by state: the most urgent first, in final states the last ended. Keeps `limit` of each. Pure. */
export const columnsOf = (items: readonly Item[], limit: number): BoardView["columns"] =>
  columns.map(state => {
    const found = items.filter(item => item.state === state).sort(orders[state])
    return {state, total: found.length, items: found.slice(0, limit).map(viewItem)}
  })

const viewItem = ({description, conversation, createdBy, request, addedBy, comments, ...shown}: Item): BoardItem => ({
  ...shown,
  comments: comments.length,
})
