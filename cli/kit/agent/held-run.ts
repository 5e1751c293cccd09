import type {AgentRunsChanged} from "../../../shared/api/agents/agents.ts"
import {type ExitCode, exit} from "../../../shared/exit.ts"
import type {Static} from "../../../shared/type.ts"
import {DecisionCommand} from "../messages/decision.ts"
import {counted} from "../print.ts"

/** The base of the commands that release or discard runs of agents that a restore holds. */
export abstract class HeldRunCommand extends DecisionCommand {
  /** Acts on one run, or without `id` on all held runs. */
  async act(action: "release" | "discard", id: string | undefined, isHeld: boolean): Promise<ExitCode> {
    const changed = await this.decide<Static<typeof AgentRunsChanged>>({
      list: "runs",
      action,
      named: id,
      isHeld,
      question: "which run?",
      hint: "Name a run that svc agent runs --state held lists, or use --held for all held runs.",
    })
    this.show(changed, () => `${action}: ${counted(changed.runs, "run")}`)
    return exit.ok
  }
}
