import {type Asked, serve} from "../../../shared/api/operations/operation.ts"
import {timerOperations} from "../../../shared/api/operations/work.ts"
import {TimerView} from "../../../shared/api/scheduled/timers.ts"
import {fromJson} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import type {Database, Row} from "../../database/database.ts"
import {heldOr, inBulk} from "../../database/lists/bulk.ts"
import {newestFirst, readNewest} from "../../database/lists/pages.ts"
import {rowReader} from "../../database/lists/rows.ts"
import {searchWaiting} from "../../database/lists/search.ts"
import type {Endpoints} from "../../endpoints/endpoints.ts"
import {type TimerAction, timerRevision} from "../timers/operator.ts"
import {requireTimer} from "../timers/rows.ts"
import type {Timers} from "../timers/timers.ts"

export const timerRoutes = (timers: Timers, endpoints: Pick<Endpoints, "require">, database: Database) => {
  const act =
    (action: TimerAction) =>
    async ({params: {id}}: Asked<typeof timerOperations.hold>) => {
      const on = heldOr(id, action, () => ({id}))
      return {timers: await timers.act(action, on)}
    }
  return serve(timerOperations, {
    list: newestFirst({
      numberOf: ({seq}) => seq,
      read: async ({query: {state}}, before, most) =>
        (await readNewest(database, "timers", {state}, before, most)).map(viewTimer),
    }),
    show: async ({params}) => {
      const row = await requireTimer(database, params.id)
      return {...viewTimer(row), data: fromJson(String(row.data))}
    },
    add: async ({body}) => {
      const {endpoint, channel, user} = body
      if (endpoint !== undefined) endpoints.require(endpoint)
      else if (channel !== undefined || user !== undefined) {
        throw new Problem("request_invalid", "endpoint: a channel or a user belongs to an endpoint; name it")
      }
      return {id: await timers.add(body)}
    },
    check: ({body}) => timers.check(body),
    edit: async ({params: {id}, body}) => {
      await timers.change(id, body)
      return {id}
    },
    release: act("release"),
    cancel: act("cancel"),
    hold: act("hold"),
    bulk: inBulk({
      search: searchWaiting(database, {table: "timers", states: ["waiting"], since: "due_at"}),
      act: (action, rows) => timers.act(action === "hold" ? action : "cancel", {id: rows.map(({id}) => String(id))}),
      view: row => {
        const {id, dueAt, user, channel, plugin, name} = viewTimer(row)
        return {id, at: dueAt, who: user ?? channel, text: `${plugin}/${name}`}
      },
    }),
  })
}

const readView = rowReader(TimerView)

const viewTimer = (row: Row): TimerView => ({...readView(row), revision: timerRevision(row)})
