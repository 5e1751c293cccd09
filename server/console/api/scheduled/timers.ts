import {Accepted, CutRequest, WaitingTimers} from "../../../../shared/api/messages.ts"
import {DraftCheck, TimerChange, TimerDraft, TimerDraftCheck} from "../../../../shared/api/scheduled/drafts.ts"
import {TimerDetail, TimerQuery, TimersChanged, TimerView} from "../../../../shared/api/scheduled/timers.ts"
import {fromJson} from "../../../../shared/json.ts"
import {Problem} from "../../../../shared/problems.ts"
import type {Database, Row} from "../../../database/database.ts"
import type {Endpoints} from "../../../endpoints/endpoints.ts"
import {type TimerAction, timerRevision} from "../../../scheduler/timers/operator.ts"
import type {Timers} from "../../../scheduler/timers/timers.ts"
import {heldOr, inBulk} from "../../bulk.ts"
import {answering, newestFirst, type Operation, readNewest, textOrNull, timeOf} from "../../operations.ts"
import {searchWaiting} from "../../search.ts"

export const listTimers = (database: Database): Operation =>
  newestFirst({
    summary: "Plugins' timers that are waiting, held or failed, newest first",
    query: TimerQuery,
    item: TimerView,
    numberOf: ({seq}) => seq,
    read: async ({query: {state}}, before, most) =>
      (await readNewest(database, "timers", {state}, before, most)).map(viewTimer),
  })

export const showTimer = (database: Database): Operation => ({
  summary: "One timer, by its id",
  response: {200: TimerDetail},
  problems: ["timer_unknown"],
  handle: async (_, call) => call.json(TimerDetail, await readTimer(database, call.params.id ?? "")),
})

/** Throws `timer_unknown`. */
const readTimer = async (database: Database, id: string): Promise<TimerDetail> => {
  const [row] = await database.read("SELECT * FROM timers WHERE id = ?", [id])
  if (row === undefined) throw new Problem("timer_unknown", `there is no timer ${id}; it may have fired`)
  return {...viewTimer(row), data: fromJson(String(row.data))}
}

export const checkTimer = answering({
  summary: "Check a timer before it is set: its problems, and when it would fire; nothing is stored",
  body: TimerDraftCheck,
  answer: DraftCheck,
  run: ({body}, timers: Timers) => timers.check(body),
})

export const addTimer = answering({
  summary: "Set a timer for a plugin that declares it; it is durable once this returns",
  body: TimerDraft,
  answer: Accepted,
  status: 201,
  problems: ["timer_unknown", "timer_invalid", "endpoint_unknown", "conflict"],
  run: async ({body}, timers: Timers, endpoints: Pick<Endpoints, "require">) => {
    const {endpoint, channel, user} = body
    if (endpoint !== undefined) endpoints.require(endpoint)
    else if (channel !== undefined || user !== undefined) {
      throw new Problem("request_invalid", "endpoint: a channel or a user belongs to an endpoint; name it")
    }
    return {id: await timers.add(body)}
  },
})

export const editTimer = answering({
  summary: "Change a timer's time or data; a failed timer waits again",
  body: TimerChange,
  answer: Accepted,
  problems: ["timer_unknown", "timer_invalid", "conflict"],
  run: async ({body, params: {id = ""}}, timers: Timers) => {
    await timers.change(id, body)
    return {id}
  },
})

const summaries: Readonly<Record<TimerAction, string>> = {
  release: "Let a held timer fire at its time, or with the id `held` all of them",
  hold: "Hold a waiting timer until somebody releases it",
  cancel: "Delete a timer, whatever its state, or with the id `held` all held ones",
}

export const actOnTimer = (timers: Timers, action: TimerAction): Operation => ({
  summary: summaries[action],
  response: {200: TimersChanged},
  problems: ["timer_unknown", "timer_state"],
  handle: async (_, call) => {
    const {id = ""} = call.params
    const on = heldOr(id, action, () => ({id}))
    return call.json(TimersChanged, {timers: await timers.act(action, on)})
  },
})

export const cutTimers = (database: Database, timers: Timers): Operation =>
  inBulk({
    summary: "Cancel or hold all waiting timers that match the filters, a page at a time; a repeating timer ends too",
    query: WaitingTimers,
    body: CutRequest,
    search: searchWaiting(database, {table: "timers", states: ["waiting"], since: "due_at"}),
    act: (action, rows) => timers.act(action === "hold" ? action : "cancel", {id: rows.map(({id}) => String(id))}),
    view: row => {
      const {id, dueAt, user, channel, plugin, name} = viewTimer(row)
      return {id, at: dueAt, who: user ?? channel, text: `${plugin}/${name}`}
    },
  })

const viewTimer = (row: Row): TimerView => ({
  id: String(row.id),
  seq: Number(row.seq),
  plugin: String(row.plugin),
  name: String(row.name),
  key: textOrNull(row.key),
  state: row.state as TimerView["state"],
  reason: textOrNull(row.reason),
  dueAt: timeOf(row.due_at) ?? "",
  schedule: textOrNull(row.schedule),
  timezone: textOrNull(row.timezone),
  missed: row.missed as "once" | "skip",
  endpoint: textOrNull(row.endpoint),
  channel: textOrNull(row.channel),
  user: textOrNull(row.user),
  createdAt: timeOf(row.created_at) ?? "",
  fired: Number(row.fired),
  lastFiredAt: timeOf(row.last_fired_at),
  revision: timerRevision(row),
})
