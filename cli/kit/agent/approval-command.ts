import {Option} from "clipanion"
import type {AgentRunDetail, ApprovalView} from "../../../shared/api/agents/agents.ts"
import {isProblem, Problem} from "../../../shared/problems.ts"
import {connectHost, type HostClient} from "../host-client.ts"
import {DataCommand} from "../svc-command.ts"

/** The base of the commands that approve or deny a call of an agent. */
export abstract class ApprovalCommand extends DataCommand {
  id = Option.String({name: "approval"})
  by = Option.String("--as", {description: "The name of the person who decides, for the record (default: operator)"})
  reason = Option.String("--reason", {description: "The reason, for the model and the record"})

  async decide(action: "approve" | "deny"): Promise<void> {
    const host = await connectHost(this.folder)
    const id = encodeURIComponent(await approvalOf(host, this.id))
    const decided = await host.post<ApprovalView>(`/api/approvals/${id}/${action}`, {by: this.by, reason: this.reason})
    this.show(decided, () => `${decided.state}: ${decided.tool} of ${decided.agent}, run ${decided.runId}`)
  }
}

/** Returns the id of the approval that a run waits for, or the id itself. Throws `approval_unknown` if it waits for none. */
const approvalOf = async (host: HostClient, named: string): Promise<string> => {
  const run = await host.get<Partial<AgentRunDetail>>(`/api/runs/${encodeURIComponent(named)}`).catch(error => {
    if (isProblem(error, "run_unknown")) return undefined
    throw error
  })
  if (run?.approvals === undefined) return named
  const [waiting] = run.approvals.filter(({state}) => state === "waiting")
  if (waiting === undefined) throw new Problem("approval_unknown", `the run ${named} waits for no approval`)
  return waiting.id
}
