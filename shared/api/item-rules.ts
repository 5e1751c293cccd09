import type {ItemCommand, ItemState} from "./workroom.ts"

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
