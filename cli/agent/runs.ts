import {Command, Option} from "clipanion"
import type {AgentRunView} from "../../shared/api/agents/agents.ts"
import {PageCommand} from "../kit/page-command.ts"
import {shorten, table} from "../kit/print.ts"

export class AgentRuns extends PageCommand {
  static override usage = Command.Usage({
    description: "list runs of agents, newest first",
    details: "Needs a running Host.",
    examples: [
      ["The newest runs", "svc agent runs"],
      ["Runs that wait for an approval", "svc agent runs --state waiting"],
      ["Failed runs of one agent", "svc agent runs --agent writer --state failed"],
    ],
  })

  agent = Option.String("--agent", {description: "Only runs of this agent"})
  state = Option.String("--state", {
    description: "Only runs in this state: queued, running, waiting, held, succeeded, failed or cancelled",
  })

  async run(): Promise<void> {
    const page = await this.page<AgentRunView>("/api/runs", {kind: "agent", agent: this.agent, state: this.state})
    this.show(page, () =>
      table(
        ["run", "agent", "created", "trigger", "state", "reason", "steps", "tokens", "error"],
        page.items.map(({runId, agent, createdAt, trigger, state, waitsFor, reason, steps, tokens, error}) => [
          ...[runId, agent, createdAt, trigger, state],
          reason ?? waitsFor ?? "",
          String(steps),
          String(tokens),
          shorten(error ?? "", 40),
        ]),
      ),
    )
  }
}
