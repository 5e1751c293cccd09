import {Command, Option} from "clipanion"
import type {ExitCode} from "../../shared/exit.ts"
import {TimerActionCommand} from "../kit/messages/timer-action.ts"

export class TimerRelease extends TimerActionCommand {
  static override paths = [["timer", "release"]]
  static override usage = Command.Usage({
    description: "let a timer that a restore holds fire at its time",
    examples: [
      ["One timer", "svc timer release 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e"],
      ["All that a restore left held", "svc timer release --held"],
    ],
  })

  id = Option.String({name: "id", required: false})
  held = Option.Boolean("--held", false, {description: "Every timer that is held"})

  run(): Promise<ExitCode> {
    return this.act("release", this.id, this.held)
  }
}
