import {approvalOperations} from "../../../shared/api/operations/agents.ts"
import {inboxOperations, outboxOperations} from "../../../shared/api/operations/messages.ts"
import type {Operation} from "../../../shared/api/operations/operation.ts"
import {jobOperations, workroomOperations} from "../../../shared/api/operations/work.ts"
import {fromJson, isObject, toJson} from "../../../shared/json.ts"
import {type Route, type Scope, scopeOf} from "../../../shared/route.ts"
import {namesIn, propertiesOf, schemaOf} from "./arguments.ts"

/** What a client may assume about a call that changes something. */
interface Hints {
  readonly destructiveHint: boolean
  readonly idempotentHint?: boolean
}

const adds: Hints = {destructiveHint: false}
const changes: Hints = {destructiveHint: false, idempotentHint: true}
const ends: Hints = {destructiveHint: true, idempotentHint: true}
/** For an approved call of an agent, and for a plugin's route. */
const acts: Hints = {destructiveHint: true}

type Entry = readonly [Operation, Hints?]

const {list: inbox, show: event, retry, discard} = inboxOperations
const {list: outbox, show: message, send} = outboxOperations
const {items, item, add, claim, block, unblock, review, accept, cancel, comment} = workroomOperations
const {list: approvals, approve, deny} = approvalOperations

const table: Readonly<Record<string, Entry>> = {
  inbox_list: [inbox],
  inbox_show: [event],
  inbox_retry: [retry, adds],
  inbox_discard: [discard, ends],
  outbox_list: [outbox],
  outbox_show: [message],
  outbox_retry: [outboxOperations.retry, adds],
  outbox_release: [outboxOperations.release, adds],
  outbox_discard: [outboxOperations.discard, ends],
  message_send: [send, adds],
  work_list: [items],
  work_show: [item],
  work_add: [add, adds],
  work_claim: [claim, changes],
  work_block: [block, changes],
  work_unblock: [unblock, changes],
  work_review: [review, changes],
  work_accept: [accept, changes],
  work_cancel: [cancel, ends],
  work_comment: [comment, changes],
  job_list: [jobOperations.list],
  job_run: [jobOperations.run, adds],
  approval_list: [approvals],
  approval_approve: [approve, acts],
  approval_deny: [deny, ends],
}

export interface Tool {
  readonly name: string
  readonly route: Route
  readonly hints: Hints | undefined
}

/** Returns the route of an operation. Throws if no part of the Host serves it. */
export const routeOf = (routes: readonly Route[], {method, path}: Operation): Route => {
  const route = routes.find(each => each.method === method && each.path === path)
  if (route === undefined) throw new TypeError(`no part serves ${method} ${path}`)
  return route
}

/** Returns the tools by name: operations of the API, and the plugins' routes, which never replace those. */
export const toolsOf = (routes: readonly Route[], published: readonly Route[]): ReadonlyMap<string, Tool> => {
  const ofPlugins = published.flatMap(route =>
    route.stream === true ? [] : [{name: nameOf(route), route, hints: acts}],
  )
  const ofHost = Object.entries(table).map(([name, [operation, hints]]) => ({
    name,
    route: routeOf(routes, operation),
    hints,
  }))
  return new Map([...ofPlugins, ...ofHost].map(tool => [tool.name, tool]))
}

/** POST /api/plugins/shop/orders/:id is `shop_orders_id`, GET the same `shop_get_orders_id`. */
const nameOf = ({method, path}: Route): string => {
  const [, , , plugin = "", ...parts] = path.split("/")
  const words = [plugin, ...(method === "POST" ? [] : [method.toLowerCase()]), ...parts]
  return words
    .filter(word => word !== "")
    .join("_")
    .replace(/[^\w-]/g, "")
    .slice(0, 64)
}

export const mayUse = (scope: Scope, {permission}: Route): boolean => scope === "full" || scopeOf(permission) !== "full"

/** Describes a tool for `tools/list`: its arguments are the path's, the query's and the body's. */
export const describeTool = ({name, route, hints}: Tool) => ({
  name,
  description: route.summary,
  inputSchema: inputSchema(route),
  annotations: route.method === "GET" ? {readOnlyHint: true, openWorldHint: false} : {readOnlyHint: false, ...hints},
})

const inputSchema = ({path, query, body}: Route): unknown => {
  const names = namesIn(path)
  const {title, description, properties: _, required = [], ...rest} = schemaOf(body)
  const wanted = [...names, ...(schemaOf(query).required ?? []), ...required]
  const schema = {
    additionalProperties: false,
    ...(propertiesOf(body) === undefined ? {} : rest),
    type: "object",
    properties: {
      ...Object.fromEntries(names.map(each => [each, {type: "string"}])),
      ...propertiesOf(query),
      ...(propertiesOf(body) ?? (body === undefined ? {} : {body})),
    },
    ...(wanted.length === 0 ? {} : {required: wanted}),
  }
  return fromJson(toJson(schema, (key, value) => (key === "private" && !isObject(value) ? undefined : value)))
}
