import {v7 as uuid} from "uuid"
import {openDatabase, type Statement} from "../../../server/database/database.ts"
import {type Columns, insert} from "../database/insert.ts"
import type {Project} from "../host/project.ts"

/** The start of the rows' times, in milliseconds since 1970. */
export const rowsBegin = Date.UTC(2026, 0, 2, 3, 4, 5)

/** A run in the engine's form. `seq` determines its id, `run-<seq>`, unless the columns contain one. */
export const agentRun = (
  seq: number,
  columns: Columns & {readonly agent: string; readonly state: string},
): Statement => {
  const hasEnded = ["succeeded", "failed", "cancelled"].includes(columns.state)
  return insert("agent_runs", {
    seq,
    run_id: `run-${seq}`,
    cause: "operator",
    place: "{}",
    input: `question ${seq}`,
    created_at: rowsBegin + seq * 1000,
    ended_at: hasEnded ? rowsBegin + seq * 1000 + 500 : null,
    ...columns,
  })
}

export const agentStep = (run: number, n: number, columns: Columns): Statement =>
  insert("agent_steps", {run, n, kind: "model", name: "small", state: "done", begun: 1, ...columns})

/** An approval of a step, `approval-<run>-<n>`. */
export const agentApproval = (run: number, n: number, columns: Columns = {}): Statement =>
  insert("agent_approvals", {
    id: `approval-${run}-${n}`,
    run,
    n,
    tool: "send",
    permission: "trusted",
    shown: `send "hello" to #team`,
    asked_at: rowsBegin,
    expires_at: 9e12,
    ...columns,
  })

/** The spending of an agent on a day; an empty `subject` stands for all. */
export const agentSpending = (agent: string, day: string, columns: Columns): Statement =>
  insert("agent_spending", {agent, day, subject: "", ...columns})

/** Stores rows in the database of a project whose Host is stopped. Creates the database if it is missing. */
export const fillDatabase = async (project: Project, rows: readonly Statement[]): Promise<void> => {
  const signal = new AbortController().signal
  const location = {dialect: "sqlite", file: project.path(".svc/data.sqlite")} as const
  const database = await openDatabase(location, {runtimeId: uuid(), signal, onLeaseLost: () => {}})
  try {
    await database.write(rows)
  } finally {
    await database.close()
  }
}
