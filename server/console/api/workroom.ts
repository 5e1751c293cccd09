import type {ItemCommand} from "../../../shared/api/item-rules.ts"
import {PageQuery} from "../../../shared/api/pages.ts"
import {
  type Command,
  commandBodies,
  Item,
  ItemFilter,
  operator,
  RecordView,
  VerificationView,
  WorkroomView,
} from "../../../shared/api/workroom.ts"
import {BoardQuery, BoardView} from "../../../shared/api/workroom-board.ts"
import {Problem} from "../../../shared/problems.ts"
import {Type} from "../../../shared/type.ts"
import {columnsOf} from "../../workroom/board.ts"
import type {Workroom} from "../../workroom/workroom.ts"
import {answering, type Call, newestFirst, type Operation} from "../operations.ts"

const ItemQuery = Type.Object({...PageQuery.properties, ...ItemFilter.properties})

export const showWorkroom = (workroom: Workroom): Operation => ({
  summary: "The workroom: its store, the end of its Journal, and how many items are in each state",
  response: {200: WorkroomView},
  handle: (_, call) => call.json(WorkroomView, viewWorkroom(workroom)),
})

export const listItems = (workroom: Workroom): Operation =>
  newestFirst({
    summary: "Work items, newest first",
    query: ItemQuery,
    item: Item,
    numberOf: ({id}) => id,
    read: (call, before, most) => {
      const fits = filterOf(call)
      return workroom.items
        .filter(item => item.id < before && fits(item))
        .reverse()
        .slice(0, most)
    },
  })

export const showBoard = (workroom: Workroom): Operation => ({
  summary: "Work items by state: blocked items first, and the most urgent first in each state",
  query: BoardQuery,
  response: {200: BoardView},
  handle: (_, call) => {
    const items = workroom.items.filter(filterOf(call))
    return call.json(BoardView, {seq: workroom.head.seq, columns: columnsOf(items, Number(call.query.limit))})
  },
})

export const listItemRecords = (workroom: Workroom): Operation =>
  newestFirst({
    summary: "Records of the workroom's Journal about one item, newest first",
    query: PageQuery,
    problems: ["workroom_unknown"],
    item: RecordView,
    numberOf: ({seq}) => seq,
    read: (call, before, most) => workroom.journalOf(idOf(call), before, most),
  })

export const showItem = (workroom: Workroom): Operation => ({
  summary: "One work item",
  response: {200: Item},
  problems: ["workroom_unknown"],
  handle: (_, call) => call.json(Item, workroom.item(idOf(call))),
})

export const addItem = answering({
  summary: "Add a work item; it is durable once this returns",
  body: commandBodies.add,
  answer: Item,
  status: 201,
  problems: ["workroom_failed", "workroom_outcome_unknown"],
  run: ({body: {actor = operator, request, ...body}}, workroom: Workroom) => {
    const {title, description = "", priority = "normal", labels = [], assignee = null, conversation = null} = body
    const command = {is: "add", title, description, priority, labels, assignee, conversation} as const
    return workroom.run({actor, item: 0, command: {...command, ...(request === undefined ? {} : {request})}})
  },
})

export const listRecords = (workroom: Workroom): Operation =>
  newestFirst({
    summary: "Records of the workroom's Journal, newest first",
    query: PageQuery,
    item: RecordView,
    numberOf: ({seq}) => seq,
    read: (_, before, most) => workroom.journal(before, most),
  })

export const verifyWorkroom = (workroom: Workroom): Operation => ({
  summary: "Check the whole Journal, and that the Catalog matches it",
  response: {200: VerificationView},
  problems: ["workroom_damaged"],
  handle: async (_, call) => call.json(VerificationView, await workroom.verify()),
})

const summaries: Record<ItemCommand, string> = {
  claim: "Claim an open item, take over an active one, or resume one whose work was not accepted",
  block: "Block an active item, and say what it waits for",
  unblock: "Unblock a blocked item",
  review: "Hand an active item in for review",
  accept: "Accept the work on an item in review: it is done",
  cancel: "Cancel an open item",
  comment: "Comment on an item",
}

export const commandItem = (workroom: Workroom, name: ItemCommand): Operation => ({
  summary: summaries[name],
  body: commandBodies[name],
  response: {200: Item},
  problems: ["workroom_unknown", "workroom_stale", "workroom_state", "workroom_failed", "workroom_outcome_unknown"],
  handle: async (_, call) => {
    const id = idOf(call)
    const {actor = operator, ...body} = (await call.body()) as Body
    return call.json(Item, await workroom.run({actor, item: id, command: commandOf(name, body, actor)}))
  },
})

interface Body {
  readonly actor?: string
  readonly request?: string
  readonly expectedRevision: number
  readonly assignee?: string
  readonly reason?: string
  readonly owner?: string
  readonly deadline?: string
  readonly text?: string
}

const commandOf = (name: ItemCommand, body: Omit<Body, "actor">, actor: string): Command => {
  const {expectedRevision, request} = body
  const against = {expectedRevision, ...(request === undefined ? {} : {request})}
  switch (name) {
    case "claim":
      return {is: name, assignee: body.assignee ?? claimant(actor), ...against}
    case "block": {
      const {reason = "", owner = null, deadline} = body
      return {is: name, reason, owner, deadline: deadline === undefined ? null : timeOf(deadline), ...against}
    }
    case "cancel":
      return {is: name, reason: body.reason ?? null, ...against}
    case "comment":
      return {is: name, text: body.text ?? "", ...against}
    default:
      return {is: name, ...against}
  }
}

const claimant = (actor: string): string => {
  if (actor !== operator) return actor
  throw new Problem("request_invalid", "assignee: name who works on the item", {
    hint: "Name an assignee, or the actor who claims it: user:<id> or agent:<name>.",
  })
}

const timeOf = (text: string): string => {
  const at = Date.parse(text)
  if (Number.isNaN(at)) throw new Problem("request_invalid", `deadline: "${text}" is not a time`)
  return new Date(at).toISOString()
}

const idOf = (call: Call): number => {
  const id = Number(call.params.id)
  if (!Number.isSafeInteger(id)) throw new Problem("workroom_unknown", `there is no work item ${call.params.id}`)
  return id
}

/** A demo token must not search in fields that it does not see. */
const filterOf = ({query, scope}: Call): ((item: Item) => boolean) => {
  const {state, label, assignee, text} = query
  for (const [name, value] of Object.entries({assignee, text}))
    if (value !== undefined && scope !== "full")
      throw new Problem("forbidden", `the filter ${name} needs the full token`)
  const wanted = text === undefined ? undefined : String(text).toLowerCase()
  return item =>
    (state === undefined || item.state === state) &&
    (label === undefined || item.labels.includes(String(label))) &&
    (assignee === undefined || item.assignee === assignee) &&
    (wanted === undefined || `${item.title}\n${item.description}`.toLowerCase().includes(wanted))
}

const viewWorkroom = (workroom: Workroom): WorkroomView => {
  const {store, authority, head} = workroom
  const {states, overdue} = workroom.figures()
  return {store, authority, ...head, items: states, overdue}
}
