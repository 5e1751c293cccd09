import {fromJson, toJson} from "../../../shared/json.ts"
import type {Log} from "../../../shared/log.ts"
import {assertThat, type Database, type Row, type Statement} from "../../database/database.ts"
import {writeIf} from "../../database/persist.ts"
import {hasNoEnd} from "../../database/state/runs.ts"
import type {MarkKey} from "../../outbox/mark-key.ts"

/** The handlers of one event that are to run, and what decides when: the event's conversation and user. */
export interface Due {
  readonly seq: number
  readonly id: string
  readonly conversation: string
  readonly user: string | undefined
  readonly handlers: readonly string[]
  /** The event's handlers in any state. */
  readonly all: readonly string[]
}

/** A mark that two starts found `running` is dead. A middleware is not blamed while a handler inside it was running. */
const settle = `UPDATE inbox_marks SET
    crashes = crashes + hit,
    state = CASE WHEN crashes + hit >= 2 THEN 'dead' ELSE 'pending' END,
    ended_at = CASE WHEN crashes + hit >= 2 THEN ?1 END,
    error = CASE WHEN crashes + hit >= 2 THEN 'suspected_crash' ELSE error END
  FROM (SELECT m.seq AS s, m.handler AS h, ${hasNoEnd("m.runtime_id")} AND NOT (m.handler LIKE '%/middleware/%'
      AND EXISTS (SELECT 1 FROM inbox_marks o WHERE o.seq = m.seq AND o.state = 'running'
        AND o.handler NOT LIKE '%/middleware/%')) AS hit FROM inbox_marks m
    WHERE m.state = 'running')
  WHERE seq = s AND handler = h RETURNING seq, handler, state`

const due = (condition: string) => `SELECT m.seq, i.event_id, i.conversation, json_group_array(m.handler) AS handlers,
    max(m.crashes > 0) AS crashed, (SELECT u.event ->> '$.user.id' FROM inbox u WHERE u.seq = m.seq) AS user,
    (SELECT json_group_array(a.handler) FROM inbox_marks a WHERE a.seq = m.seq) AS all_handlers
  FROM inbox_marks m JOIN inbox i USING (seq) WHERE ${condition} GROUP BY m.seq ORDER BY m.seq`

const isRunning =
  "EXISTS (SELECT 1 FROM inbox_marks WHERE seq = ? AND handler = ? AND state = 'running' AND attempt = ?)"

/** Settles marks left running, then calls `hold`. Resolves to the remaining work, and if it may have ended the Host. */
export const takeOver = async (
  database: Database,
  log: Log,
  now: number,
  hold: () => Promise<void>,
): Promise<{readonly backlog: readonly Due[]; readonly isSuspect: boolean}> => {
  const isLeft = "EXISTS (SELECT 1 FROM inbox_marks WHERE state IN ('pending', 'running') AND state = 'running')"
  const [settled] = await writeIf(database, isLeft, [{sql: settle, args: [now]}])
  for (const {seq, handler, state} of settled?.rows ?? []) {
    if (state === "dead")
      log.error(`the Host does not run ${handler} of event ${seq} again: the Host ended twice while it ran`)
  }
  await hold()
  const rows = await database.read(due("m.state = 'pending'"))
  return {backlog: rows.map(dueOf), isSuspect: rows.some(({crashed}) => crashed === 1)}
}

/** Returns the pending handlers of the events that a condition names; `i` is the event, `m` the mark. */
export const readDue = async (
  database: Database,
  condition: string,
  args: Statement["args"],
): Promise<readonly Due[]> => (await database.read(due(`m.state = 'pending' AND ${condition}`), args)).map(dueOf)

/** Returns the handlers to run of an event that may have been stored, also claimed ones: none has begun. */
export const readUnsettled = async (
  database: Database,
  {endpoint, id}: {readonly endpoint: string; readonly id: string},
  runtimeId: string,
): Promise<readonly Due[]> => {
  const isOpen = "(m.state = 'pending' OR (m.state = 'running' AND m.runtime_id = ?))"
  const rows = await database.read(due(`i.endpoint = ? AND i.event_id = ? AND ${isOpen}`), [endpoint, id, runtimeId])
  return rows.map(dueOf)
}

/** Makes its batch fail if the attempt has ended or another one has begun. */
export const assertRunning = ({seq, handler, attempt}: MarkKey): Statement =>
  assertThat(isRunning, [seq, handler, attempt])

export const readIsRunning = async (database: Database, {seq, handler, attempt}: MarkKey): Promise<boolean> =>
  (await database.read(`SELECT ${isRunning} AS holds`, [seq, handler, attempt]))[0]?.holds === 1

export interface MarkEnd {
  readonly state: "handled" | "failed"
  readonly error?: string
  /** Milliseconds since 1970. */
  readonly at: number
}

/** Ends the attempt, unless it has ended. */
export const ending = ({seq, handler, attempt}: MarkKey, {state, error, at}: MarkEnd): Statement => ({
  sql: `UPDATE inbox_marks SET state = ?, ended_at = ?, error = ?
    WHERE seq = ? AND handler = ? AND state = 'running' AND attempt = ?`,
  args: [state, at, error ?? null, seq, handler, attempt],
})

/** Marks handlers inside a stopping middleware as handled, even if claimed. Deletes the questions that they end. */
export const stopping = ({seq, handler}: MarkKey, inside: readonly string[], at: number): readonly Statement[] => [
  {
    sql: `UPDATE inbox_marks SET state = 'handled', ended_at = ?, error = ?
      WHERE seq = ? AND state IN ('pending', 'running') AND handler IN (SELECT value FROM json_each(?))`,
    args: [at, `not run: ${handler} stopped the event`, seq, toJson(inside)],
  },
  {
    sql: "DELETE FROM prompts WHERE answer_seq = ? AND handler IN (SELECT value FROM json_each(?))",
    args: [seq, toJson(inside)],
  },
]

/**
 * Schedules another run of the handler, unless the attempt has ended. The last statement returns a row if it did. Without
 * `failure`, the attempt does not count as one.
 */
export const repeating = (
  {seq, handler, attempt}: MarkKey,
  failure?: {readonly error: string; readonly at: number},
): readonly Statement[] => {
  const counting = failure === undefined ? "" : ", failures = failures + 1, ended_at = ?, error = ?"
  return [
    {
      sql: `UPDATE inbox_marks SET state = 'pending'${counting}
        WHERE seq = ? AND handler = ? AND state = 'running' AND attempt = ?`,
      args: [...(failure === undefined ? [] : [failure.at, failure.error]), seq, handler, attempt],
    },
    {
      sql: "SELECT seq FROM inbox_marks WHERE seq = ? AND handler = ? AND state = 'pending' AND attempt = ?",
      args: [seq, handler, attempt],
    },
  ]
}

const dueOf = (row: Row): Due => ({
  seq: Number(row.seq),
  id: String(row.event_id),
  conversation: String(row.conversation),
  user: row.user === null ? undefined : String(row.user),
  handlers: fromJson(String(row.handlers)) as string[],
  all: fromJson(String(row.all_handlers)) as string[],
})
