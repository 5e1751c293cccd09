import {type ItemState, itemStates} from "../../shared/api/item-rules.ts"
import type {Item} from "../../shared/api/workroom.ts"

export interface Figures {
  readonly states: Readonly<Record<ItemState, number>>
  /** Blocked items whose deadline has passed. */
  readonly overdue: number
}

export const figuresOf = (items: readonly Item[]): Figures => {
  const states = Object.fromEntries(itemStates.map(state => [state, 0])) as Record<ItemState, number>
  let overdue = 0
  for (const {state, blocker} of items) {
    states[state]++
    if (blocker?.overdue === true) overdue++
  }
  return {states, overdue}
}
