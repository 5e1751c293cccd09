import type {AgentRunState} from "../../../shared/agents/states.ts"
import {Problem} from "../../../shared/problems.ts"
import type {SendOptions} from "../../../shared/sdk/plugin/plugin.ts"
import type {TimerPlace} from "../../../shared/sdk/session/timer.ts"
import {fieldsOf, isId, readKey, readTime} from "../../../shared/sdk/session/values.ts"
import {findRun} from "../../agents/find-run.ts"
import type {AgentService} from "../../agents/runs/service.ts"
import type {Database} from "../../database/database.ts"
import {askMethod} from "../../endpoints/ask.ts"
import type {Endpoints} from "../../endpoints/endpoints.ts"
import {requireNoTool} from "../../endpoints/methods.ts"
import type {PluginHost} from "../../generation/plugins/plugin-host.ts"
import {atAnyAge, withExpiry} from "../../outbox/age.ts"
import {addressOf, messageDraft, requireParams} from "../../outbox/draft.ts"
import {type DraftFiles, hasFiles} from "../../outbox/files/draft-files.ts"
import type {Outbox} from "../../outbox/outbox.ts"
import {readMessage} from "../../outbox/rows.ts"
import type {Clock} from "../../runtime/flow/clock.ts"
import {placeOf} from "../../scheduler/timers/operator.ts"
import type {Timers} from "../../scheduler/timers/timers.ts"

export interface PluginHostOptions {
  readonly outbox: Outbox
  readonly endpoints: Pick<Endpoints, "require" | "requireMethod" | "requireTarget">
  readonly database: Pick<Database, "read" | "write">
  readonly timers: Timers
  readonly files: DraftFiles
  readonly languageOf: PluginHost["languageOf"]
  readonly clock: Clock
  readonly agents: Pick<AgentService, "queue">
}

/** The functions of a running Host that plugins call outside of handlers. */
export const createPluginHost = ({
  outbox,
  endpoints,
  database,
  timers,
  files,
  languageOf,
  clock,
  agents,
}: PluginHostOptions): PluginHost => ({
  now: () => clock.now(),
  send: async (plugin, target, content, options = {}) => {
    const address = addressOf(target)
    endpoints.requireTarget(address)
    const draft = withExpiry(messageDraft(address, content), options)
    const how = {plugin, key: readKey(options.key, "request_invalid"), due: dueOf(options.at)}
    if (how.due !== undefined && how.due >= (draft.notAfter ?? atAnyAge))
      throw new Problem("request_invalid", "notAfter must be later than at")
    if (!hasFiles(draft)) return outbox.plan(draft, how)
    const lease = files.lease()
    try {
      return await outbox.plan(await files.store(draft, lease), how)
    } finally {
      lease.release()
    }
  },
  setTimer: async (plugin, name, given, data, options) => {
    const {target, ...when} = given ?? {}
    if (target !== undefined) endpoints.require(requirePlace(target).endpoint)
    const setting = timers.prepare(plugin, name, when, data, placeOf(target ?? {}), options)
    await database.write(setting.statements)
    setting.stored()
    return setting.id
  },
  clearTimer: async (plugin, timer) => {
    const [cleared] = await database.write([timers.clearing(plugin, timer)])
    return (cleared?.rows.length ?? 0) > 0
  },
  timers: (plugin, name, of) => timers.list(plugin, name, of && requirePlace(of)),
  languageOf: async place => languageOf(requirePlace(place)),
  runAgent: async (plugin, agent, input, {target, user, key} = {}) => {
    const own = readKey(key, "request_invalid")
    if (user !== undefined && !isId(user))
      throw new Problem("target_invalid", "user must be the id of a user on the target's platform")
    if (target === undefined && user !== undefined)
      throw new Problem("target_invalid", "user needs target: a user belongs to an endpoint's platform")
    if (target !== undefined) endpoints.requireTarget(addressOf(target))
    return agents.queue({
      agent,
      trigger: "plugin",
      input,
      plugin,
      ...(own === undefined ? {} : {request: `plugin/${plugin}/${agent}/${own}`}),
      ...placeOf({...target, ...(user === undefined ? {} : {user})}),
    })
  },
  agentResult: async (plugin, runId) => {
    const row = await findRun(database, String(runId))
    if (row?.plugin !== plugin) throw new Problem("agent_run_unknown", `${plugin} has not asked for a run ${runId}`)
    const textOf = (value: unknown) => (typeof value === "string" ? value : null)
    return {state: row.state as AgentRunState, answer: textOf(row.answer), reason: textOf(row.reason)}
  },
  message: id => readMessage(database, String(id)),
  sent: (id, signals) => outbox.ended(String(id), signals),
  cancel: (plugin, id) => outbox.cancel(String(id), plugin),
  ask: async (plugin, endpoint, method, params) => {
    const {reads, repeats} = endpoints.requireMethod(endpoint, method, plugin)
    requireParams(params)
    if (!reads)
      throw new Problem("request_invalid", `${method} acts: use session.call, which stores it first, or plugin.callNow`)
    const turn = repeats === undefined ? undefined : turnAt(outbox, endpoint)
    return askMethod(endpoints.require(endpoint), method, params, turn)
  },
  callNow: async (plugin, endpoint, method, params) => {
    requireNoTool("plugin.callNow")
    const {acts} = endpoints.requireMethod(endpoint, method, plugin)
    requireParams(params)
    if (!acts) throw new Problem("request_invalid", `${method} only reads: use plugin.ask`)
    outbox.requireOpen()
    return askMethod(endpoints.require(endpoint), method, params, turnAt(outbox, endpoint))
  },
})

const turnAt = (outbox: Outbox, endpoint: string) => (signal: AbortSignal) => outbox.turn(endpoint, signal)

/** Throws `target_invalid`. */
const requirePlace = (target: TimerPlace): TimerPlace => {
  const {endpoint, channel, user} = fieldsOf(target)
  if (isId(endpoint) && [channel, user].every(id => id === undefined || isId(id))) return target
  throw new Problem("target_invalid", "a conversation is {endpoint, channel?, user?}: a name, and ids on the platform")
}

const dueOf = (at: SendOptions["at"]): number | undefined => {
  const due = readTime(at)
  if (at !== undefined && due === undefined)
    throw new Problem("request_invalid", "at must be a valid Date, or milliseconds since 1970")
  return due
}
