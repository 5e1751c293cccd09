import {takenIn as given, type ItemState} from "../../../shared/api/item-rules.ts"
import type {Command, Item, JournalRecord} from "../../../shared/api/workroom.ts"

/** A command about an existing item. */
export type ItemChange = Exclude<Command, {is: "add" | "authority"}>

/** A command of a person or an agent, before the item's revision is known. */
export type ItemCommand = Bare<Exclude<ItemChange, {is: "overdue"}>>
type Bare<T> = T extends unknown ? Omit<T, "expectedRevision" | "request"> : never

/** The states in which an item accepts each command, of people, agents and the Host itself. */
export const takenIn: Readonly<Record<ItemChange["is"], readonly ItemState[]>> = {...given, overdue: ["blocked"]}

/** The highest number of comments of an item: the Catalog stores them all. */
export const mostComments = 1000

type Change = Partial<Omit<Item, "id" | "revision">>

const changeOf = (item: Item, command: ItemChange, {at, actor}: JournalRecord): Change => {
  switch (command.is) {
    case "claim":
      return {state: "active", assignee: command.assignee}
    case "block": {
      const {reason, owner, deadline} = command
      return {state: "blocked", blocker: {deadline, overdue: false, owner, reason}}
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
  comments: [...item.comments, {actor, at, text}],
})

/** The item after an accepted record. */
export const evolve = (item: Item, record: JournalRecord, command: ItemChange): Item => ({
  ...item,
  ...changeOf(item, command, record),
  revision: item.revision + 1,
  updatedAt: record.at,
  request: command.request ?? null,
})

/** The item that a record adds. Its keys are in the order of its canonical text, and stay so. */
export const begin = ({item: id, at, actor}: JournalRecord, command: Extract<Command, {is: "add"}>): Item => ({
  addedBy: command.request ?? null,
  assignee: command.assignee,
  blocker: null,
  comments: [],
  conversation: command.conversation,
  createdAt: at,
  createdBy: actor,
  description: command.description,
  id,
  labels: [...command.labels],
  priority: command.priority,
  request: command.request ?? null,
  revision: 1,
  state: "open",
  title: command.title,
  updatedAt: at,
})
