import type {TimersChanged} from "../../../shared/api/scheduled/timers.ts"
import {type ExitCode, exit} from "../../../shared/exit.ts"
import type {Static} from "../../../shared/type.ts"
import {counted} from "../print.ts"
import {DecisionCommand} from "./decision.ts"

/** The base of the commands that decide about timers. */
export abstract class TimerActionCommand extends DecisionCommand {
  /** Acts on one timer, or without `id` on all held timers. */
  async act(action: "release" | "cancel", id: string | undefined, isHeld: boolean): Promise<ExitCode> {
    const changed = await this.decide<Static<typeof TimersChanged>>({
      list: "timers",
      action,
      named: id,
      isHeld,
      question: "which timer?",
      hint: "Name a timer that svc timer list shows, or use --held for all held timers.",
    })
    this.show(changed, () => `${action}: ${counted(changed.timers, "timer")}`)
    return exit.ok
  }
}
