import {Command, Option} from "clipanion"
import type {AgentRunView} from "../../shared/api/agents/agents.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {connectHost} from "../kit/host-client.ts"
import {DataCommand} from "../kit/svc-command.ts"

export class AgentCancel extends DataCommand {
  static override paths = [["agent", "cancel"]]
  static override usage = Command.Usage({
    description: "end a run of an agent that has not ended",
    details: "What the provider was asked is aborted; what tools have done stays done. Needs a running Host.",
    examples: [["A run of svc agent runs", "svc agent cancel 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e"]],
  })

  id = Option.String({name: "run"})

  async run(): Promise<ExitCode> {
    const host = await connectHost(this.folder)
    const run = await host.post<AgentRunView>(`/api/runs/${encodeURIComponent(this.id)}/cancel`)
    this.show(run, () => `${run.runId} is ${run.state}`)
    return exit.ok
  }
}
