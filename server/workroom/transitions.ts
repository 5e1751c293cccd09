import type {Command, Item, ItemState, JournalRecord} from "../../shared/workroom.ts"

/** A command about an item that is there. */
export type ItemChange = Exclude<Command, {is: "add" | "authority"}>

const open = ["open", "active", "blocked", "review"] as const

/** In which states an item takes a command. Work that was not accepted is claimed again. */
export const takenIn: Readonly<Record<ItemChange["is"], readonly ItemState[]>> = {
  claim: ["open", "active", "review"],
  block: ["active"],
  unblock: ["blocked"],
  review: ["active"],
  accept: ["review"],
  cancel: open,
  comment: [...open, "done", "cancelled"],
  overdue: ["blocked"],
}

/** An item has so many comments at most: it is kept whole in the Catalog. */
export const mostComments = 1000

type Change = Partial<Omit<Item, "id" | "revision">>

const changeOf = (item: Item, command: ItemChange, {at, actor}: JournalRecord): Change => {
  switch (command.is) {
    case "claim":
      return {state: "active", assignee: command.assignee}
    case "block": {
      const {reason, owner, deadline} = command
      return {state: "blocked", blocker: {reason, owner, deadline, overdue: false}}
    }
    case "unblock":
      return {state: "active", blocker: null}
    case "review":
      return {state: "review"}
    case "accept":
      return {state: "done"}
    case "cancel":
      return {
        state: "cancelled",
        blocker: null,
        ...(command.reason === null ? {} : commented(item, at, actor, command.reason)),
      }
    case "comment":
      return commented(item, at, actor, command.text)
    case "overdue":
      return item.blocker === null ? {} : {blocker: {...item.blocker, overdue: true}}
  }
}

const commented = (item: Item, at: string, actor: string, text: string): Change => ({
  comments: [...item.comments, {at, actor, text}],
})

/** The item as an accepted record leaves it. */
export const evolve = (item: Item, record: JournalRecord, command: ItemChange): Item => ({
  ...item,
  ...changeOf(item, command, record),
  revision: item.revision + 1,
  updatedAt: record.at,
  request: command.request ?? null,
})

/** The item that a record adds. */
export const begin = ({item: id, at, actor}: JournalRecord, command: Extract<Command, {is: "add"}>): Item => ({
  id,
  revision: 1,
  state: "open",
  priority: command.priority,
  labels: [...command.labels],
  title: command.title,
  description: command.description,
  assignee: command.assignee,
  blocker: null,
  conversation: command.conversation,
  comments: [],
  createdAt: at,
  createdBy: actor,
  updatedAt: at,
  request: command.request ?? null,
  addedBy: command.request ?? null,
})
