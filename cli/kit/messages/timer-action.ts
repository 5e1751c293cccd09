import type {TimersChanged} from "../../../shared/api/scheduled/timers.ts"
import {type ExitCode, exit} from "../../../shared/exit.ts"
import type {Static} from "../../../shared/type.ts"
import {counted} from "../print.ts"
import {DecisionCommand} from "./decision.ts"

/** What the commands share that decide about timers. */
export abstract class TimerActionCommand extends DecisionCommand {
  /** `id` is left out for everything that is held. */
  async act(action: "release" | "cancel", id: string | undefined, isHeld: boolean): Promise<ExitCode> {
    const changed = await this.decide<Static<typeof TimersChanged>>({
      list: "timers",
      action,
      named: id,
      isHeld,
      question: "which timer?",
      hint: "Name a timer, as svc timer list does, or all that are held, with --held.",
    })
    this.show(changed, () => `${action}: ${counted(changed.timers, "timer")}`)
    return exit.ok
  }
}
