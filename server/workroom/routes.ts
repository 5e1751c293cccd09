import type {ItemState} from "../../shared/api/item-rules.ts"
import {type Asked, serve} from "../../shared/api/operations/operation.ts"
import {workroomOperations} from "../../shared/api/operations/work.ts"
import {type Item, operator, type WorkroomView} from "../../shared/api/workroom.ts"
import {Problem} from "../../shared/problems.ts"
import type {WorkItemChange} from "../../shared/sdk/plugin/work-items.ts"
import {newestFirst} from "../database/lists/pages.ts"
import {columnsOf} from "./board.ts"
import {addFrom, commandFrom} from "./bodies.ts"
import type {Workroom} from "./workroom.ts"

export const workroomRoutes = (workroom: Workroom) => {
  const run = (item: string, {actor = operator, expectedRevision, request}: Body, change: WorkItemChange) => {
    const against = {expectedRevision, ...(request === undefined ? {} : {request})}
    return workroom.run({actor, item: numberOf(item), command: {...commandFrom(actor, change), ...against}})
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
    add: ({body}) => workroom.run(addFrom(body.actor ?? operator, body)),
    claim: ({params, body}) => run(params.id, body, {is: "claim", ...body}),
    block: ({params, body}) => run(params.id, body, {is: "block", ...body}),
    unblock: ({params, body}) => run(params.id, body, {is: "unblock"}),
    review: ({params, body}) => run(params.id, body, {is: "review"}),
    accept: ({params, body}) => run(params.id, body, {is: "accept"}),
    cancel: ({params, body}) => run(params.id, body, {is: "cancel", ...body}),
    comment: ({params, body}) => run(params.id, body, {is: "comment", text: body.text}),
    journal: newestFirst({numberOf: ({seq}) => seq, read: (_, before, most) => workroom.journal(before, most)}),
    verify: () => workroom.verify(),
  })
}

type Body = Asked<typeof workroomOperations.review>["body"]

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
