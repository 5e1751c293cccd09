import {Command, Option} from "clipanion"
import type {AgentRunView} from "../../shared/api/agents/agents.ts"
import {DataCommand} from "../kit/svc-command.ts"

export class AgentCancel extends DataCommand {
  static override usage = Command.Usage({
    description: "cancel a run of an agent",
    details:
      "The Host aborts the request to the provider. Effects of tools that have run remain. Needs a running Host.",
    examples: [["A run that svc agent runs lists", "svc agent cancel 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e"]],
  })

  id = Option.String({name: "run"})

  async run(): Promise<void> {
    const run = await this.post<AgentRunView>(`/api/runs/${encodeURIComponent(this.id)}/cancel`)
    this.show(run, () => `${run.runId} is ${run.state}`)
  }
}
