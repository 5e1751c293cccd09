import type {Item} from "../../shared/api/workroom.ts"

/** A user of a platform as the workroom names them: one of the same id on another platform is another. */
export const partyOf = (endpoint: string, user = "unknown"): string => `user:${endpoint}/${user.replace(/\s+/g, "_")}`

/** How many items name somebody as author, assignee, owner of a blocker, or author of a comment. */
export const countNaming = (items: readonly Item[], party: string): number =>
  items.filter(
    ({createdBy, assignee, blocker, comments}) =>
      [createdBy, assignee, blocker?.owner].includes(party) || comments.some(({actor}) => actor === party),
  ).length
