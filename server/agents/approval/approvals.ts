import type {Binding} from "../../../shared/agents/binding.ts"
import type {ApprovalState} from "../../../shared/agents/states.ts"
import type {AgentTarget} from "../../../shared/config/agents.ts"
import {durationOf} from "../../../shared/duration.ts"
import {Problem} from "../../../shared/problems.ts"
import type {Node} from "../../../shared/sdk/content/elements.ts"
import type {Permission} from "../../../shared/sdk/session/permission.ts"
import type {Database, Reader, Row, Statement} from "../../database/database.ts"
import {textIn} from "../../database/engine/cells.ts"
import type {Say} from "../../messages/texts/host-texts.ts"
import {messageDraft, type OutboxDraft} from "../../outbox/draft.ts"
import {uuid} from "../../runtime/uuid.ts"
import type {Attempt} from "../runs/attempt.ts"
import type {Engine} from "../runs/engine.ts"
import {conversationOf, parking, requeued} from "../runs/run-rows.ts"
import type {Decision} from "../runs/service.ts"
import {awaiting, type ToolStep} from "../runs/step-rows.ts"
import type {AgentTool} from "../runs/tool.ts"
import {runIs} from "../runs/write.ts"

/** A request to a person to approve a call. */
export type Approval = Readonly<ReturnType<typeof approvalOf>>

const approvalOf = (row: Row) => ({
  state: row.state as ApprovalState,
  tool: String(row.tool),
  permission: row.permission as Permission,
  expiresAt: Number(row.expires_at),
  decidedBy: textIn(row.decided_by),
  reason: textIn(row.reason),
})

/** Reads the newest approval for a step. */
export const readApproval = async (database: Reader, run: number, n: number): Promise<Approval | undefined> => {
  const rows = await database.read("SELECT * FROM agent_approvals WHERE run = ? AND n = ? ORDER BY seq DESC LIMIT 1", [
    run,
    n,
  ])
  return rows.map(approvalOf)[0]
}

export const readApprovalById = async (database: Reader, id: string): Promise<Approval | undefined> =>
  (await database.read("SELECT * FROM agent_approvals WHERE id = ?", [id])).map(approvalOf)[0]

export interface Question {
  readonly step: ToolStep
  readonly tool: AgentTool
  readonly shown: string
  /** Whether an equal call was interrupted before. */
  readonly isRepeated: boolean
}

/** Asks a person about a call. The request, its message and the run's wait are one batch. */
export const askApproval = async (
  attempt: Attempt,
  binding: Binding,
  {step, tool, shown, isRepeated}: Question,
): Promise<void> => {
  const {engine, run} = attempt
  const {approval} = binding.config
  const at = engine.clock.now()
  const id = uuid()
  const expires = at + durationOf(approval.expires)
  const say = await engine.sayFor(run)
  const place = approval.to ?? conversationOf(run)
  const until = `${new Date(expires).toISOString().slice(0, 16).replace("T", " ")} UTC`
  const text = [
    say("agent.ask", {agent: run.agent, tool: tool.name}),
    shown,
    ...(isRepeated ? [say("agent.again")] : []),
    say("agent.who", {permission: approval.permission, until}),
  ].join("\n")
  const content: readonly Node[] = [text, ...byId(engine, place, id, say), ...engine.decisionButtons(id, say)]
  const sends: readonly OutboxDraft[] = place === undefined ? [] : [messageDraft(place, content)]
  const asking = {
    sql: `INSERT INTO agent_approvals (id, run, n, tool, permission, endpoint, channel, message, shown, asked_at, expires_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    args: [
      ...[id, run.seq, step.n, tool.name, approval.permission, place?.endpoint ?? null, place?.channel ?? null],
      ...[sends[0]?.id ?? null, shown, at, expires],
    ],
  }
  const statements = [awaiting(run.seq, step.n, tool.effect), asking, parking(run, "approval", expires)]
  await attempt.write({statements, sends}, runIs("waiting"))
}

/** A number answers only the newest list of a channel. Without buttons, older requests are decided by id. */
const byId = ({endpoints}: Engine, place: AgentTarget | undefined, id: string, say: Say): readonly string[] =>
  place === undefined || endpoints.hasFeature(place.endpoint, "buttons") ? [] : [`\n${say("agent.byId", {id})}`]

/** Stores a person's decision, once, and continues the run. The first statement returns a row if it was accepted. */
export const deciding = (id: string, {approve, by, reason}: Decision, at: number): readonly Statement[] => [
  {
    sql: `UPDATE agent_approvals SET state = ?, decided_at = ?, decided_by = ?, reason = ?
      WHERE id = ? AND state = 'waiting' AND expires_at > ? RETURNING run`,
    args: [approve ? "approved" : "denied", at, by, reason ?? null, id, at],
  },
  {
    sql: requeued(`state = 'waiting' AND waits_for = 'approval'
      AND seq = (SELECT run FROM agent_approvals WHERE id = ? AND state IN ('approved', 'denied'))`),
    args: [id],
  },
]

/** Throws `approval_unknown`, and `approval_state` if the approval is decided, expired or held. */
export const decide = async (
  database: Pick<Database, "read" | "write">,
  id: string,
  decision: Decision,
  at: number,
): Promise<void> => {
  const [decided] = await database.write(deciding(id, decision, at))
  if ((decided?.rows.length ?? 0) > 0) return
  const found = await readApprovalById(database, id)
  if (found === undefined) throw new Problem("approval_unknown", `there is no approval ${id}`)
  const isSame =
    found.state === (decision.approve ? "approved" : "denied") && found.decidedBy === decision.by && decision.by !== ""
  // The same decision again: its answer was lost, or its handler runs again.
  if (isSame) return
  const state = found.state === "waiting" ? "expired" : found.state
  throw new Problem("approval_state", `the approval ${id} is ${state}`)
}
