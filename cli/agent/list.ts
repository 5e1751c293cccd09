import {Command} from "clipanion"
import type {AgentView} from "../../shared/api/agents/agents.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {connectHost} from "../kit/host-client.ts"
import {table} from "../kit/print.ts"
import {DataCommand} from "../kit/svc-command.ts"

export class AgentList extends DataCommand {
  static override paths = [["agent", "list"]]
  static override usage = Command.Usage({
    description: "list the agent bindings with their state and their runs",
    details:
      "Needs a running Host. If the Host is stopped, svc config check names the bindings that are not configured.",
    examples: [["All agents", "svc agent list"]],
  })

  async run(): Promise<ExitCode> {
    const host = await connectHost(this.folder)
    const list = await host.get<{items: readonly AgentView[]}>("/api/agents")
    this.show(list, () =>
      list.items.length === 0
        ? "the configuration has no agents"
        : table(
            ["agent", "model", "state", "open", "waiting", "succeeded", "failed", "approvals", "today"],
            list.items.map(({name, provider, model, configured, reason, runs, approvals, today}) => [
              name,
              `${provider} ${model}`,
              configured ? "configured" : (reason ?? ""),
              String(runs.queued + runs.running),
              String(runs.waiting),
              String(runs.succeeded),
              String(runs.failed),
              String(approvals),
              `${today.tokens} tokens`,
            ]),
          ),
    )
    return exit.ok
  }
}
