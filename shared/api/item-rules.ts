/** The states of a work item, in the order of its way; `cancelled` is reached from any open one. */
export const itemStates = ["open", "active", "blocked", "review", "done", "cancelled"] as const
export type ItemState = (typeof itemStates)[number]

/** The commands that people and agents give about an item that is there. */
export const itemCommands = ["claim", "block", "unblock", "review", "accept", "cancel", "comment"] as const
export type ItemCommand = (typeof itemCommands)[number]

/** Who acts, or who is assigned: a person or an agent. */
export const partyPattern = "^(user|agent):\\S{1,200}$"

const open = ["open", "active", "blocked", "review"] as const

/** In which states an item takes a command of a person or an agent. Work that was not accepted is claimed again. */
export const takenIn: Readonly<Record<ItemCommand, readonly ItemState[]>> = {
  claim: ["open", "active", "review"],
  block: ["active"],
  unblock: ["blocked"],
  review: ["active"],
  accept: ["review"],
  cancel: open,
  comment: [...open, "done", "cancelled"],
}

/** The event that tells of a command about an item. */
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
