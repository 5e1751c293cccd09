import type {AgentRunsChanged} from "../../../shared/api/agents/agents.ts"
import {type ExitCode, exit} from "../../../shared/exit.ts"
import type {Static} from "../../../shared/type.ts"
import {DecisionCommand} from "../messages/decision.ts"
import {counted} from "../print.ts"

/** What the commands share that decide about runs of agents that a restore holds. */
export abstract class HeldRunCommand extends DecisionCommand {
  /** `id` is left out for everything that is held. */
  async act(action: "release" | "discard", id: string | undefined, isHeld: boolean): Promise<ExitCode> {
    const changed = await this.decide<Static<typeof AgentRunsChanged>>({
      list: "runs",
      action,
      named: id,
      isHeld,
      question: "which run?",
      hint: "Name a run, as svc agent runs --state held does, or all that are held, with --held.",
    })
    this.show(changed, () => `${action}: ${counted(changed.runs, "run")}`)
    return exit.ok
  }
}
