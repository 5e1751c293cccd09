import {fromJson, toJson} from "../../shared/json.ts"
import type {SatoriEvent} from "../../shared/sdk/content/satori.ts"
import type {Row} from "../../shared/sdk/session/database.ts"
import {readUnhandled} from "../inbox/look-ups.ts"
import {readNewestMessage, readSentAfter, readUnsent} from "../outbox/look-ups.ts"
import {readUnfinished} from "../scheduler/run-rows.ts"
import type {Host} from "./open/host.ts"

/** Work of a Host that has not succeeded yet. An expired handler is done. */
export interface Pending {
  /** Identifies the work and its state. */
  readonly key: string
  /** Describes the work, its state, since when, and its error. */
  readonly text: string
  /**
   * - `moving`: it may end on its own.
   * - `waiting`: it continues once the clock moves, or once earlier work has ended. So does a send that the Host retries.
   * - `again`: the handler failed, and the Host runs it again once the clock moves.
   * - `failed`: it does not continue.
   */
  readonly is: "moving" | "waiting" | "again" | "failed"
  /** Returns whether a log record has the error of this handler or run. */
  readonly isIn?: (record: Readonly<Record<string, unknown>>) => boolean
}

/** Selects rows: a condition and its arguments. */
export interface Where {
  readonly sql: string
  readonly args: readonly (string | number)[]
}

const everything: Where = {sql: "true", args: []}

/** Returns the pending handlers of events. `where` names the tables `m` and `i`. */
export const pendingHandlers = async ({database}: Host, {sql, args}: Where = everything): Promise<readonly Pending[]> =>
  (await readUnhandled(database, sql, args)).map(handlerOf)

export const pendingSends = async (host: Host, {sql, args}: Where = everything): Promise<readonly Pending[]> =>
  (await readUnsent(host.database, sql, args)).map(row => sendOf(host, row))

export const pendingRuns = async ({database}: Host, {sql, args}: Where = everything): Promise<readonly Pending[]> =>
  (await readUnfinished(database, sql, args)).map(runOf)

/** Returns all work of a Host that has not succeeded yet. */
export const pendingOf = async (host: Host): Promise<readonly Pending[]> => [
  ...(await pendingHandlers(host)),
  ...(await pendingRuns(host)),
  ...(await pendingSends(host)),
]

/** Returns the number of the newest message. */
export const lastMessage = ({database}: Host): Promise<number> => readNewestMessage(database)

/** Returns the ids of the messages after a number that were sent and answer no event, in order. */
export const sentAfter = ({database}: Host, seq: number): Promise<readonly string[]> => readSentAfter(database, seq)

const at = (time: unknown): string => new Date(Number(time)).toISOString()

const why = (...texts: readonly unknown[]): string => {
  const known = texts.filter(text => text !== null && text !== undefined && text !== "")
  return known.length === 0 ? "" : `: ${known.join(", ")}`
}

const eventOf = ({seq, endpoint, event}: Row): string => {
  const {type, user, message} = fromJson(String(event)) as SatoriEvent
  const by = user === undefined ? "" : ` of ${user.name ?? user.id}`
  const said = message?.content === undefined ? "" : ` ${toJson(message.content.slice(0, 60))}`
  return `event ${seq} (${type} ${endpoint}${by}${said})`
}

const handlerOf = (row: Row): Pending => {
  const {seq, handler, state, attempt, failures, started_at, ended_at, received_at, error} = row
  const what = `${handler} of ${eventOf(row)}`
  const key = `handler ${seq} ${handler} ${state} ${attempt}`
  const isIn: Pending["isIn"] = ({event, message}) => event === seq && String(message).startsWith(`${handler} failed`)
  if (state === "running")
    return {key, is: "moving", text: `${what} has been running since ${at(started_at)}, attempt ${attempt}`}
  if (state !== "pending")
    return {key, isIn, is: "failed", text: `${what} is ${state} (since ${at(ended_at ?? received_at)})${why(error)}`}
  if (Number(failures) === 0)
    return {
      key,
      is: "waiting",
      text: `${what} has been pending since ${at(received_at)}, until its turn in the conversation`,
    }
  return {
    key,
    isIn,
    is: "again",
    text: `${what} failed at ${at(ended_at)}, attempt ${attempt}${why(error)}; it runs again once bot.clock.advance() has passed its pause`,
  }
}

const sendOf = ({endpoints}: Host, row: Row): Pending => {
  const {id, kind, endpoint, channel, state, attempt, not_before, created_at, error, reason} = row
  const what = `${kind} ${id} to ${channel} at ${endpoint}`
  const key = `send ${id} ${state} ${attempt}`
  if (state === "sending") return {key, is: "moving", text: `${what} is being sent, attempt ${attempt}`}
  if (state !== "queued") return {key, is: "failed", text: `${what} is ${state}${why(reason, error)}`}
  const found = endpoints.get(String(endpoint))?.state
  const since = `has been queued since ${at(created_at)}`
  if (found?.is === "connecting") return {key, is: "moving", text: `${what} ${since}: ${endpoint} is connecting`}
  if (found?.is !== "online") {
    const told =
      found !== undefined && "error" in found
        ? found.error
        : found !== undefined && "reason" in found
          ? found.reason
          : undefined
    return {key, is: "failed", text: `${what} ${since}: ${endpoint} is ${found?.is ?? "no endpoint"}${why(told)}`}
  }
  const wait =
    error === null
      ? `because of the rate limit of ${endpoint}`
      : `and the Host retries it at ${at(not_before)}${why(error)}`
  return {key, is: "waiting", text: `${what} ${since}, ${wait}`}
}

const runOf = ({run_id, job, state, reason, error, started_at, created_at}: Row): Pending => {
  const what = `the run of job ${job}`
  const key = `run ${run_id} ${state}`
  if (state === "running") return {key, is: "moving", text: `${what} has been running since ${at(started_at)}`}
  if (state === "queued") return {key, is: "waiting", text: `${what} has been queued since ${at(created_at)}`}
  const isIn: Pending["isIn"] = ({runId}) => runId === run_id
  return {key, isIn, is: "failed", text: `${what} is ${state}${why(error ?? reason)}`}
}
