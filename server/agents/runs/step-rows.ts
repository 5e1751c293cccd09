import type {AgentReason, AgentStepState, ToolEffect} from "../../../shared/agents/states.ts"
import {fromJson, isObject, toJson} from "../../../shared/json.ts"
import type {Row, Statement} from "../../../shared/sdk/session/database.ts"
import {tryOr} from "../../../shared/try-or.ts"
import {textIn} from "../../database/engine/cells.ts"
import type {ModelCall, ModelReply} from "../providers/model.ts"

interface StepBase {
  readonly n: number
  readonly state: AgentStepState
  /** How often the step was begun. */
  readonly begun: number
}

/** What a request contained besides the run's rows: the numbers of earlier runs and of memories. */
export interface Sent {
  readonly earlier: readonly number[]
  readonly memories: readonly number[]
  /** The hash of the request without secrets, and of its instructions and tools. */
  readonly hash: string
  readonly setting: string
}

/** A model call. `reply` is set once it is done. */
export interface ModelStep extends StepBase {
  readonly kind: "model"
  readonly sent: Sent | undefined
  readonly reply: ModelReply | undefined
  /** The model whose attempt failed last, until the next attempt begins. */
  readonly failed?: string
}

/** A tool call, as the model requested it. `result` is the text for the model, once the call has ended. */
export interface ToolStep extends StepBase {
  readonly kind: "tool"
  readonly call: ModelCall
  readonly tool: string
  readonly effect: ToolEffect | undefined
  readonly result: string | undefined
}

export type Step = ModelStep | ToolStep

export const selectSteps = "SELECT * FROM agent_steps WHERE run = ? ORDER BY n"

/** Selects the steps of several runs, with the beginnings of tools' results. */
export const selectStepsOf = `SELECT run, n, kind, name, call, state, begun, input, effect,
    iif(kind = 'tool', substr(output, 1, ?2), output) AS output
  FROM agent_steps WHERE run IN (SELECT value FROM json_each(?1)) ORDER BY run, n`

export const stepOf = (row: Row): Step => {
  const base = {n: Number(row.n), state: row.state as AgentStepState, begun: Number(row.begun)}
  const output = textIn(row.output)
  if (row.kind === "model") {
    const failed = row.error === null ? {} : {failed: String(row.name)}
    const reply = output === undefined ? undefined : (fromJson(output) as ModelReply)
    return {...base, kind: "model", sent: sentOf(row.input), reply, ...failed}
  }
  return {
    ...base,
    kind: "tool",
    tool: String(row.name),
    call: {id: String(row.call), name: String(row.name), input: String(row.input)},
    effect: textIn(row.effect) as ToolEffect | undefined,
    result: output,
  }
}

/** Returns what a call's input says of its request; undefined for an erased one, or one of an older svc. */
const sentOf = (input: unknown): Sent | undefined => {
  const read: unknown = typeof input === "string" ? tryOr(() => fromJson(input), undefined) : undefined
  if (!isObject(read) || !Array.isArray(read.earlier) || !Array.isArray(read.memories)) return undefined
  const {earlier, memories, hash, setting} = read
  return {earlier, memories, hash: String(hash), setting: String(setting)}
}

/** Begins a model call, or repeats it. */
export const beginningModel = (
  run: number,
  n: number,
  {model, input, tokens, money, at}: {model: string; input: string; tokens: number; money: number; at: number},
): Statement => ({
  sql: `INSERT INTO agent_steps (run, n, kind, name, state, begun, input, reserved_tokens, reserved_money, begun_at)
    VALUES (?, ?, 'model', ?, 'begun', 1, ?, ?, ?, ?)
    ON CONFLICT (run, n) DO UPDATE SET state = 'begun', begun = begun + 1, name = excluded.name, input = excluded.input, reserved_tokens = reserved_tokens + excluded.reserved_tokens,
      reserved_money = reserved_money + excluded.reserved_money, begun_at = excluded.begun_at, error = NULL`,
  args: [run, n, model, input, tokens, money, at],
})

/** Ends a model call. `money` is undefined if the price is unknown. */
export const endingModel = (
  run: number,
  n: number,
  reply: ModelReply,
  {money, at}: {money: number | undefined; at: number},
): Statement => ({
  sql: "UPDATE agent_steps SET state = 'done', output = ?, tokens_in = ?, tokens_out = ?, money = ?, ended_at = ? WHERE run = ? AND n = ?",
  args: [toJson(reply), reply.usage?.input ?? null, reply.usage?.output ?? null, money ?? null, at, run, n],
})

/** Notes a failed attempt of a model call. The step stays begun, unless the run ends with it. */
export const notingFailure = (run: number, n: number, error: string): Statement => ({
  sql: "UPDATE agent_steps SET error = ? WHERE run = ? AND n = ?",
  args: [error, run, n],
})

/** Returns the calls of a reply, each as a step. */
export const plannedSteps = (
  after: number,
  calls: readonly ModelCall[],
  toolOf: (name: string) => string,
): readonly ToolStep[] =>
  calls.map((call, index) => ({
    ...{kind: "tool", n: after + 1 + index, state: "planned", begun: 0},
    ...{call, tool: toolOf(call.name), effect: undefined, result: undefined},
  }))

export const planning = (run: number, steps: readonly ToolStep[]): readonly Statement[] =>
  steps.map(({n, tool, call}) => ({
    sql: "INSERT INTO agent_steps (run, n, kind, name, call, state, input) VALUES (?, ?, 'tool', ?, ?, 'planned', ?)",
    args: [run, n, tool, call.id, call.input],
  }))

export const beginningTool = (run: number, n: number, effect: ToolEffect, at: number): Statement => ({
  sql: "UPDATE agent_steps SET state = 'begun', effect = ?, begun = begun + 1, begun_at = ? WHERE run = ? AND n = ?",
  args: [effect, at, run, n],
})

export const awaiting = (run: number, n: number, effect: ToolEffect): Statement => ({
  sql: "UPDATE agent_steps SET state = 'waiting', effect = ? WHERE run = ? AND n = ?",
  args: [effect, run, n],
})

/** How a tool call has ended, and the text for the model. */
export interface ToolEnd {
  readonly state: Extract<AgentStepState, "done" | "failed" | "unknown" | "refused">
  readonly result: string
  readonly reason?: AgentReason
  readonly error?: string
}

export const endingTool = (run: number, n: number, {state, result, reason, error}: ToolEnd, at: number): Statement => ({
  sql: "UPDATE agent_steps SET state = ?, output = ?, reason = ?, error = ?, ended_at = ? WHERE run = ? AND n = ?",
  args: [state, result, reason ?? null, error ?? null, at, run, n],
})
