import type {AgentTrigger} from "../../../shared/agents/states.ts"
import {assertThat, type Row, type Statement} from "../../database/database.ts"
import type {AgentRun} from "./run-rows.ts"
import type {RunRequest} from "./service.ts"

/** A message that the user wrote while the run worked. */
export interface Said {
  readonly seq: number
  readonly text: string
  /** The model call before which the model reads it; undefined until that call begins. */
  readonly told: number | undefined
}

const fromChat: readonly AgentTrigger[] = ["mention", "direct", "command"]

/** The most messages for one run, and their characters; a further one starts a run. */
const [mostSaid, longestSaid] = [20, 30_000]

/** SQL: the run can still be told something. One that waits for a person may wait for long. */
const hears = `cause IN (${fromChat.map(cause => `'${cause}'`).join(", ")}) AND item IS NULL
  AND (state IN ('queued', 'running') OR (state = 'waiting' AND waits_for IN ('retry', 'ingress')))
  AND (SELECT count(*) < ${mostSaid} AND coalesce(sum(length(text)), 0) < ${longestSaid} FROM agent_said s WHERE s.run = agent_runs.seq)`

/** Selects the open run of the user and conversation that hears a message; undefined if the message is not from chat. */
export const selectHearing = ({agent, trigger, endpoint, channel, user}: RunRequest): Statement | undefined =>
  !fromChat.includes(trigger) || endpoint === undefined || channel === undefined || user === undefined
    ? undefined
    : {
        sql: `SELECT seq, run_id FROM agent_runs WHERE endpoint = ? AND user = ? AND agent = ? AND channel = ?
          AND place ->> '$.channel.type' IS ? AND place ->> '$.user.account' IS ? AND ${hears} ORDER BY seq DESC LIMIT 1`,
        args: [endpoint, user.id, agent, channel.id, channel.type, user.account ?? null],
      }

/** Stores a message for a run. The batch fails once the run hears nothing more. */
export const saying = (run: number, {request, input, event}: RunRequest): readonly Statement[] => [
  assertThat(`EXISTS (SELECT 1 FROM agent_runs WHERE seq = ? AND ${hears})`, [run]),
  {
    sql: "INSERT INTO agent_said (run, request, text, inbox_seq) VALUES (?, ?, ?, ?)",
    args: [run, request ?? null, input, event ?? null],
  },
]

/** Selects what runs were told. A later run had the other messages of `told` 0 in its question. */
export const selectSaid =
  "SELECT run, seq, text, told FROM agent_said WHERE run IN (SELECT value FROM json_each(?)) AND told IS NOT 0 ORDER BY seq"

export const saidOf = ({seq, text, told}: Row): Said => ({
  seq: Number(seq),
  text: String(text),
  told: told === null ? undefined : Number(told),
})

/** Notes, with the beginning of a model call, the messages that it tells. */
export const telling = ({seq}: Pick<AgentRun, "seq">, n: number, said: readonly Said[]): readonly Statement[] => {
  const last = said.findLast(({told}) => told === undefined)
  if (last === undefined) return []
  return [{sql: "UPDATE agent_said SET told = ? WHERE run = ? AND told IS NULL AND seq <= ?", args: [n, seq, last.seq]}]
}
