import type {Item} from "../../../shared/api/workroom.ts"

export const lineOf = ({id, state, revision, title}: Item): string =>
  `item ${id} is ${state}, revision ${revision}: ${title}`

/** Describes the blocker of an item; empty if it has none. */
export const blockerOf = ({blocker}: Item): string => {
  if (blocker === null) return ""
  const owner = blocker.owner === null ? "" : `, by ${blocker.owner}`
  const until = blocker.deadline === null ? "" : `, until ${blocker.deadline}${blocker.overdue ? " (overdue)" : ""}`
  return `${blocker.reason}${owner}${until}`
}
