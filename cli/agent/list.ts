import {Command} from "clipanion"
import type {AgentView} from "../../shared/api/agents/agents.ts"
import {table} from "../kit/print.ts"
import {DataCommand} from "../kit/svc-command.ts"

export class AgentList extends DataCommand {
  static override usage = Command.Usage({
    description: "list the agent bindings with their state and their runs",
    details:
      "Needs a running Host. If the Host is stopped, svc config check names the bindings that are not configured.",
    examples: [["All agents", "svc agent list"]],
  })

  async run(): Promise<void> {
    const list = await this.get<{items: readonly AgentView[]}>("/api/agents")
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
  }
}
