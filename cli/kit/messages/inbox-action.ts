import {Option} from "clipanion"
import {DecisionCommand} from "./decision.ts"

/** The base of the commands that decide about handlers that have not handled their event. */
export abstract class InboxActionCommand extends DecisionCommand {
  handler = Option.String("--handler", {description: "Only this handler, by its name in svc inbox show"})

  act(action: "retry" | "release" | "discard", seq: string | undefined, isHeld = false): Promise<void> {
    return this.decide(
      "inbox",
      action,
      seq,
      isHeld,
      isHeld || this.handler === undefined ? {} : {handler: this.handler},
    )
  }
}
