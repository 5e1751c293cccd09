import type {ItemState} from "../../shared/api/item-rules.ts"
import {type Asked, serve} from "../../shared/api/operations/operation.ts"
import {workroomOperations} from "../../shared/api/operations/work.ts"
import {type Item, operator, type WorkroomView} from "../../shared/api/workroom.ts"
import {Problem} from "../../shared/problems.ts"
import {newestFirst} from "../database/lists/pages.ts"
import {columnsOf} from "./board.ts"
import type {ItemCommand} from "./store/transitions.ts"
import type {Workroom} from "./workroom.ts"

export const workroomRoutes = (workroom: Workroom) => {
  const run = ({params, body}: AskedCommand, commandOf: (actor: string) => ItemCommand) => {
    const {actor = operator, expectedRevision, request} = body
    const item = numberOf(params.id)
    const against = {expectedRevision, ...(request === undefined ? {} : {request})}
    return workroom.run({actor, item, command: {...commandOf(actor), ...against}})
  }
  return serve(workroomOperations, {
    show: () => viewWorkroom(workroom),
    items: newestFirst({
      numberOf: ({id}) => id,
      read: (asked, before, most) => {
        const fits = filterOf(asked)
        return workroom.items
          .filter(item => item.id < before && fits(item))
          .reverse()
          .slice(0, most)
      },
    }),
    board: asked => {
      const items = workroom.items.filter(filterOf(asked))
      return {seq: workroom.head.seq, columns: columnsOf(items, Number(asked.query.limit))}
    },
    itemJournal: newestFirst({
      numberOf: ({seq}) => seq,
      read: ({params}, before, most) => workroom.journalOf(numberOf(params.id), before, most),
    }),
    item: ({params}) => workroom.item(numberOf(params.id)),
    add: ({body: {actor = operator, request, ...body}}) => {
      const {title, description = "", priority = "normal", labels = [], assignee = null, conversation = null} = body
      const command = {is: "add", title, description, priority, labels, assignee, conversation} as const
      return workroom.run({actor, item: 0, command: {...command, ...(request === undefined ? {} : {request})}})
    },
    claim: asked => run(asked, actor => ({is: "claim", assignee: asked.body.assignee ?? claimant(actor)})),
    block: asked =>
      run(asked, () => {
        const {reason, owner = null, deadline} = asked.body
        return {is: "block", reason, owner, deadline: deadline === undefined ? null : timeOf(deadline)}
      }),
    unblock: asked => run(asked, () => ({is: "unblock"})),
    review: asked => run(asked, () => ({is: "review"})),
    accept: asked => run(asked, () => ({is: "accept"})),
    cancel: asked => run(asked, () => ({is: "cancel", reason: asked.body.reason ?? null})),
    comment: asked => run(asked, () => ({is: "comment", text: asked.body.text})),
    journal: newestFirst({numberOf: ({seq}) => seq, read: (_, before, most) => workroom.journal(before, most)}),
    verify: () => workroom.verify(),
  })
}

type AskedCommand = Pick<Asked<typeof workroomOperations.review>, "params" | "body">

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

const numberOf = (id: string): number => {
  const number = Number(id)
  if (!Number.isSafeInteger(number)) throw new Problem("workroom_unknown", `there is no work item ${id}`)
  return number
}

interface Filter {
  readonly state?: ItemState
  readonly label?: string
  readonly assignee?: string
  readonly text?: string
}

/** A demo token must not search in fields that it does not see. */
const filterOf = ({query, scope}: {query: Filter; scope: string}): ((item: Item) => boolean) => {
  const {state, label, assignee, text} = query
  for (const [name, value] of Object.entries({assignee, text}))
    if (value !== undefined && scope !== "full")
      throw new Problem("forbidden", `the filter ${name} needs the full token`)
  const wanted = text?.toLowerCase()
  return item =>
    (state === undefined || item.state === state) &&
    (label === undefined || item.labels.includes(label)) &&
    (assignee === undefined || item.assignee === assignee) &&
    (wanted === undefined || `${item.title}\n${item.description}`.toLowerCase().includes(wanted))
}

const viewWorkroom = (workroom: Workroom): WorkroomView => {
  const {store, authority, head} = workroom
  const {states, overdue} = workroom.figures()
  return {store, authority, ...head, items: states, overdue}
}
