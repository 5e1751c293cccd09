import type {Item} from "../../shared/api/workroom.ts"

/** The workroom's name of a platform user. The same id on another platform is another user. */
export const partyOf = (endpoint: string, user = "unknown"): string => `user:${endpoint}/${user.replace(/\s+/g, "_")}`

/** The number of items that name a party as author, assignee, owner of a blocker, or author of a comment. */
export const countNaming = (items: readonly Item[], party: string): number =>
  items.filter(
    ({createdBy, assignee, blocker, comments}) =>
      [createdBy, assignee, blocker?.owner].includes(party) || comments.some(({actor}) => actor === party),
  ).length
