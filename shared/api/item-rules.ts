/** The states of a work item, in their usual order. Any open item can become `cancelled`. */
export const itemStates = ["open", "active", "blocked", "review", "done", "cancelled"] as const
export type ItemState = (typeof itemStates)[number]

/** The commands that people and agents use on an existing item. */
export const itemCommands = ["claim", "block", "unblock", "review", "accept", "cancel", "comment"] as const
export type ItemCommand = (typeof itemCommands)[number]

/** An actor or assignee: a person or an agent. */
export const partyPattern = "^(user|agent):\\S{1,200}$"

const open = ["open", "active", "blocked", "review"] as const

/** The states in which an item accepts each command. Work that was not accepted can be claimed again. */
export const takenIn: Readonly<Record<ItemCommand, readonly ItemState[]>> = {
  claim: ["open", "active", "review"],
  block: ["active"],
  unblock: ["blocked"],
  review: ["active"],
  accept: ["review"],
  cancel: open,
  comment: [...open, "done", "cancelled"],
}

export const itemEvents = {
  add: "workroom.item_added",
  claim: "workroom.item_claimed",
  block: "workroom.item_blocked",
  unblock: "workroom.item_unblocked",
  review: "workroom.item_in_review",
  accept: "workroom.item_done",
  cancel: "workroom.item_cancelled",
  comment: "workroom.item_commented",
  overdue: "workroom.item_overdue",
} as const
