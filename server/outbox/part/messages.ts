import {outboxGroups} from "../../../shared/api/message-lists.ts"
import {outboxOperations} from "../../../shared/api/operations/messages.ts"
import {type Asked, serve} from "../../../shared/api/operations/operation.ts"
import {toJson} from "../../../shared/json.ts"
import type {Database} from "../../database/database.ts"
import type {Purged} from "../../database/engine/engine.ts"
import {heldOr, inBulk} from "../../database/lists/bulk.ts"
import {ofOwner} from "../../database/lists/owner.ts"
import {
  type Condition,
  containingInJson,
  given,
  type MessageQuery,
  type MessageSearch,
  olderBy,
  searchedList,
  searchMessages,
} from "../../database/lists/search.ts"
import type {Endpoints} from "../../endpoints/endpoints.ts"
import {uuid} from "../../runtime/uuid.ts"
import {type OutboxAction, statesFor} from "../actions.ts"
import {withExpiry} from "../age.ts"
import {requireMessage} from "../look-ups.ts"
import type {Outbox} from "../outbox.ts"
import {viewDetail, viewMessage} from "./view.ts"

const conditionsOf = ({endpoint, channel, user, plugin, command, text, older}: MessageQuery): readonly Condition[] => {
  const handlers = `root/${plugin}/`
  return [
    ...given(endpoint, "+endpoint = ?"),
    ...given(channel, "+channel = ?"),
    ...given(user, "+user = ?"),
    ...(plugin === undefined
      ? []
      : [{sql: "(+plugin = ? OR substr(handler, 1, length(?)) = ?)", args: [plugin, handlers, handlers]}]),
    ...(command === undefined ? [] : ofOwner("handler", {command})),
    ...(text === undefined ? [] : [containingInJson("content", text)]),
    ...olderBy(older, "created_at"),
  ]
}

/** `lasting` selects the `message` of each button that lasts. */
const searchOf = (lasting: string): MessageSearch => ({
  rows: {table: "outbox", time: "created_at"},
  inState: "SELECT seq FROM outbox WHERE state = ?3 AND seq < ?1 ORDER BY seq DESC LIMIT ?2",
  marked: query =>
    isLasting(query) && query.state === undefined ? `${withLasting(lasting)} ${belowLimit}` : undefined,
  groups: outboxGroups,
  conditionsOf: query => [
    ...conditionsOf(query),
    ...(isLasting(query) ? [{sql: `seq IN (${withLasting(lasting)})`, args: []}] : []),
  ],
})

const isLasting = (query: MessageQuery): boolean => "lasting" in query && query.lasting === true
const withLasting = (lasting: string) => `SELECT seq FROM outbox WHERE id IN (SELECT message FROM (${lasting}))`
const belowLimit = "AND +seq < ?1 ORDER BY +seq DESC LIMIT ?2"

const isFor = (action: OutboxAction): Condition => ({
  sql: "+state IN (SELECT value FROM json_each(?))",
  args: [toJson(statesFor[action])],
})

export interface OutboxServices {
  readonly database: Database
  readonly outbox: Outbox
  readonly endpoints: Endpoints
  /** SQL that selects the `message` of each button that lasts. */
  readonly lasting: string
  /** Redacts a message, and deletes its files unless another message needs them. */
  redact(id: string, reason: string | null): Promise<{readonly erased: Purged}>
}

export const outboxRoutes = ({database, outbox, endpoints, lasting, redact}: OutboxServices) => {
  const outboxSearch = searchOf(lasting)
  const act =
    (action: OutboxAction) =>
    async ({params: {id}}: Asked<(typeof outboxOperations)["retry"]>) => {
      const on = heldOr(id, action, () => ({id}))
      return {messages: await outbox.act(action, on)}
    }
  return serve(outboxOperations, {
    list: searchedList({
      search: ({query}, before, limit) => searchMessages(database, outboxSearch, query, {before, limit}),
      view: viewMessage,
    }),
    show: async ({params: {id}}) => viewDetail(await requireMessage(database, id)),
    send: async ({body: {endpoint, channel, text, notAfter: time, important}}) => {
      endpoints.requireTarget({endpoint})
      const id = uuid()
      const draft = {id, kind: "message", endpoint, channel, content: [text]} as const
      const notAfter = time === undefined ? undefined : new Date(time)
      await outbox.enqueue(withExpiry(draft, {...(notAfter && {notAfter}), ...(important && {important})}))
      return {id}
    },
    retry: act("retry"),
    release: act("release"),
    discard: act("discard"),
    hold: act("hold"),
    redact: ({params: {id}, body: {reason = null}}) => redact(id, reason),
    bulk: inBulk({
      search: ({query}, action, before, limit) =>
        searchMessages(database, outboxSearch, query, {before, limit, also: [isFor(action)]}),
      act: (action, rows) => outbox.act(action, {id: rows.map(({id}) => String(id))}),
      view: row => {
        const {id, createdAt, endpoint, channel, text} = viewMessage(row)
        return {id, at: createdAt, who: `${endpoint} ${channel}`, text}
      },
    }),
  })
}
