import {Command} from "clipanion"
import {ApprovalCommand} from "../kit/agent/approval-command.ts"

export class AgentDeny extends ApprovalCommand {
  static override usage = Command.Usage({
    description: "deny a tool call for which an agent waits",
    details:
      "Accepts the id of the approval, or of the run that waits for it. The run continues without the call. Needs a running Host.",
    examples: [["With a reason", "svc agent deny 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e --reason 'the wrong channel'"]],
  })

  run(): Promise<void> {
    return this.decide("deny")
  }
}
