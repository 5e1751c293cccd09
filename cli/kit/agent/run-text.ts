import type {AgentRunDetail, AgentStepView, ApprovalView} from "../../../shared/api/agents/agents.ts"
import {facts, shorten, table} from "../print.ts"

/** Returns whether a run has ended or is held: the Host does no further step. */
export const isOver = ({state}: AgentRunDetail): boolean => ["succeeded", "failed", "cancelled", "held"].includes(state)

const jsonIn = (value: unknown, width: number): string =>
  value === null || value === undefined ? "" : shorten(typeof value === "string" ? value : JSON.stringify(value), width)

/** Returns a line such as `2 tool send done {"text":"hello"}`. */
export const stepLine = ({step, kind, name, state, reason, input}: AgentStepView): string =>
  [step, kind, name, state, reason ?? "", kind === "tool" ? jsonIn(input, 60) : ""]
    .filter(part => part !== "")
    .join(" ")

/** Returns the question to a person, with the commands that answer it. */
export const approvalText = ({id, tool, shown, expiresAt}: ApprovalView): string =>
  `waits for an approval of ${tool}, until ${expiresAt}:\n${shown}\n  svc agent approve ${id}\n  svc agent deny ${id}`

/** Returns the answer of a run, or the reason why it has none. */
export const endText = ({runId, state, answer, reason, error}: AgentRunDetail): string => {
  if (state === "succeeded") return answer ?? ""
  const why = [reason, error].filter(part => part !== null).join(": ")
  const what = `the run is ${state}${why === "" ? "" : ` (${why})`}`
  return state === "held" ? `${what}; svc agent release ${runId} continues it` : what
}

export const runText = (run: AgentRunDetail): string => {
  const {trail, approvals, limits} = run
  const state = [run.state, run.waitsFor, run.reason].filter(part => part !== null).join(", ")
  const head = facts([
    ["run", run.runId],
    ["agent", run.agent],
    ["state", state],
    ["started by", [run.trigger, run.plugin, run.user].filter(part => part !== null).join(" ")],
    ["where", [run.endpoint, run.channel].filter(part => part !== null).join(" ") || "-"],
    ["created", run.createdAt],
    ["ended", run.endedAt ?? "not yet"],
    ["tokens", String(run.tokens)],
    ["money", String(run.money)],
    ["limits", limits.map(({what, used, limit}) => `${what} ${used} of ${limit}`).join(", ") || "-"],
    ["error", run.error],
    ["asked", run.input],
    ["answer", run.answer ?? "-"],
  ])
  const steps = table(
    ["step", "kind", "name", "state", "reason", "input", "output"],
    trail.map(({step, kind, name, state, reason, input, output}) => [
      ...[String(step), kind, name, state, reason ?? ""],
      jsonIn(input, 40),
      jsonIn(output, 40),
    ]),
  )
  const waiting = approvals.filter(({state}) => state === "waiting").map(approvalText)
  return [head, ...(trail.length === 0 ? [] : [steps]), ...waiting].join("\n\n")
}
