import {Option, type Usage} from "clipanion"
import type {ItemCommand} from "../../shared/api/item-rules.ts"
import type {Item, JournalRecord} from "../../shared/api/workroom.ts"
import {connectHost} from "../kit/host-client.ts"
import {facts, shorten} from "../kit/print.ts"
import {getCommand, listCommand, postCommand, rowCommand} from "../kit/rows.ts"
import type {DataCommand} from "../kit/svc-command.ts"
import {timeOption} from "../kit/time-option.ts"

const lineOf = ({id, state, revision, title}: Item): string => `item ${id} is ${state}, revision ${revision}: ${title}`

/** Describes the blocker of an item; empty if it has none. */
const blockerOf = ({blocker}: Item): string => {
  if (blocker === null) return ""
  const owner = blocker.owner === null ? "" : `, by ${blocker.owner}`
  const until = blocker.deadline === null ? "" : `, until ${blocker.deadline}${blocker.overdue ? " (overdue)" : ""}`
  return `${blocker.reason}${owner}${until}`
}

type Fields = Readonly<Record<string, string | undefined>>

interface Change<F extends Fields> extends Usage {
  readonly fields: F
  /** Checks the fields. */
  readonly prepare?: (given: F) => Fields
}

/** Makes the command that changes one item, as an actor and from a revision. */
const itemCommand = <F extends Fields>(name: ItemCommand, {fields, prepare = given => given, ...usage}: Change<F>) => {
  const options = {
    id: Option.String({name: "item"}),
    as: Option.String("--as", {description: "The actor: user:<id> or agent:<name> (default: the operator)"}),
    revision: Option.String("--revision", {
      description: "The revision that you read; refused if the item has changed since (default: the present revision)",
    }),
    ...fields,
  }
  const run = async (given: DataCommand & typeof options) => {
    const values = prepare(given)
    const sent = Object.fromEntries(Object.keys(fields).map(field => [field, values[field]]))
    const host = await connectHost(given.folder)
    const {id, as: actor, revision} = given
    const expectedRevision =
      revision === undefined ? (await host.get("/api/workroom/items/:id", {id})).revision : Number(revision)
    const body = {...sent, actor, expectedRevision}
    given.show(await host.post(`/api/workroom/items/:id/${name}`, {id, body}), lineOf)
  }
  return rowCommand({...usage, options, run})
}

export const accept = itemCommand("accept", {
  description: "accept the work on an item in review: the item becomes done",
  details: "To send the item back to work instead, use svc workroom claim.",
  examples: [
    ["Accept the work", "svc workroom accept 12"],
    ["Only if the item has not changed since you read it", "svc workroom accept 12 --revision 7"],
  ],
  fields: {},
})

export const add = postCommand({
  description: "add a work item",
  examples: [
    ["With a title only", 'svc workroom add "Renew the certificate"'],
    [
      "With priority, label and assignee",
      'svc workroom add "Renew the certificate" --priority high --label ops --assignee user:ada',
    ],
  ],
  options: {
    title: Option.String({name: "title"}),
    description: Option.String("--description", {description: "The description"}),
    priority: Option.String("--priority", {description: "low, normal (the default), high or urgent"}),
    labels: Option.Array("--label", {description: "A label; repeatable"}),
    assignee: Option.String("--assignee", {description: "The assignee: user:<id> or agent:<name>"}),
    actor: Option.String("--as", {description: "The author: user:<id> or agent:<name> (default: the operator)"}),
  },
  path: "/api/workroom/items",
  describe: lineOf,
})

export const block = itemCommand("block", {
  description: "block an active work item, and name the reason",
  details: "Once --until has passed, the item is overdue, and the Host emits an event.",
  examples: [
    ["Without a deadline", 'svc workroom block 12 "waiting for the printer"'],
    ["With a deadline and an owner", 'svc workroom block 12 "waiting for parts" --until 2d --owner user:grace'],
  ],
  fields: {
    reason: Option.String({name: "reason"}),
    owner: Option.String("--owner", {description: "Who must remove the blocker: user:<id> or agent:<name>"}),
    deadline: Option.String("--until", {description: "A date, a time in ISO 8601, or a time from now such as 12h"}),
  },
  prepare: given => ({...given, deadline: timeOption("--until", given.deadline)}),
})

export const cancel = itemCommand("cancel", {
  description: "cancel a work item",
  details: "The reason is kept as a comment.",
  examples: [
    ["Without a reason", "svc workroom cancel 12"],
    ["With a reason", 'svc workroom cancel 12 "the printer was sold"'],
  ],
  fields: {reason: Option.String({name: "reason", required: false})},
})

export const claim = itemCommand("claim", {
  description: "assign a work item",
  details:
    "An open item becomes active, an active item gets a new assignee, and an item in review becomes active again.",
  examples: [
    ["For yourself", "svc workroom claim 12 --as user:ada"],
    ["For an agent", "svc workroom claim 12 --assignee agent:triage"],
  ],
  fields: {assignee: Option.String("--assignee", {description: "user:<id> or agent:<name> (default: that of --as)"})},
})

export const comment = itemCommand("comment", {
  description: "comment on a work item",
  examples: [["As a user", 'svc workroom comment 12 "the parts are on their way" --as user:grace']],
  fields: {text: Option.String({name: "text"})},
})

export const review = itemCommand("review", {
  description: "submit an active work item for review",
  examples: [["Submit an item as a user", "svc workroom review 12 --as user:ada"]],
  fields: {},
})

export const unblock = itemCommand("unblock", {
  description: "unblock a blocked work item: it becomes active again",
  examples: [["After the blocker is resolved", "svc workroom unblock 12"]],
  fields: {},
})

export const list = listCommand({
  description: "list work items, newest first",
  examples: [
    ["The newest items", "svc workroom list"],
    ["Blocked items", "svc workroom list --state blocked"],
    ["The items of one assignee", "svc workroom list --assignee user:ada"],
  ],
  path: "/api/workroom/items",
  filters: {
    state: Option.String("--state", {description: "Only this state: open, active, blocked, review, done or cancelled"}),
    assignee: Option.String("--assignee", {description: "Only items of user:<id> or agent:<name>"}),
    label: Option.String("--label", {description: "Only items with this label"}),
  },
  columns: {
    item: ({id}) => id,
    rev: ({revision}) => revision,
    state: ({state}) => state,
    priority: ({priority}) => priority,
    assignee: ({assignee}) => assignee,
    title: ({title}) => shorten(title, 50),
    "waits for": item => shorten(blockerOf(item), 50),
  },
})

export const journal = listCommand({
  description: "list records of the workroom's Journal, newest first",
  details: "With --json each record has its full command, its hash and the hash of the previous record.",
  examples: [
    ["The newest five records", "svc workroom journal --limit 5"],
    ["Complete records, as JSON", "svc workroom journal --json"],
  ],
  path: "/api/workroom/journal",
  columns: {
    seq: ({seq}) => seq,
    at: ({at}) => at,
    actor: ({actor}) => actor,
    item: ({item}) => item || null,
    command: ({command: {is}}: JournalRecord) => is,
    hash: ({hash}) => hash.slice(0, 12),
  },
})

export const show = getCommand({
  description: "show one work item with its comments",
  examples: [["An item, with its blocker if it is blocked", "svc workroom show 12"]],
  options: {id: Option.String({name: "item"})},
  path: "/api/workroom/items/:id",
  describe: item =>
    facts([
      ["item", String(item.id)],
      ["title", item.title],
      ["state", item.state],
      ["revision", String(item.revision)],
      ["priority", item.priority],
      ["labels", item.labels.join(", ") || "none"],
      ["assignee", item.assignee ?? "nobody"],
      ["waits for", item.blocker && blockerOf(item)],
      ["added", `${item.createdAt} by ${item.createdBy}`],
      ["changed", item.updatedAt],
      ["conversation", item.conversation && `${item.conversation.endpoint} ${item.conversation.channel}`],
      ["description", item.description || null],
      ["comment", item.comments.map(({at, actor, text}) => `${at} ${actor}: ${text}`)],
    ]),
})
