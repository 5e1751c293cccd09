import {Command} from "clipanion"
import {ApprovalCommand} from "../kit/agent/approval-command.ts"

export class AgentApprove extends ApprovalCommand {
  static override usage = Command.Usage({
    description: "approve a tool call for which an agent waits",
    details: "Accepts the id of the approval, or of the run that waits for it. Needs a running Host.",
    examples: [
      ["A run that svc agent runs --state waiting lists", "svc agent approve 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e"],
    ],
  })

  run(): Promise<void> {
    return this.decide("approve")
  }
}
