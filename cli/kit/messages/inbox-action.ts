import {Option} from "clipanion"
import type {InboxChanged} from "../../../shared/api/messages.ts"
import {type ExitCode, exit} from "../../../shared/exit.ts"
import type {Static} from "../../../shared/type.ts"
import {counted} from "../print.ts"
import {type Decision, DecisionCommand} from "./decision.ts"

/** The base of the commands that decide about handlers that have not handled their event. */
export abstract class InboxActionCommand extends DecisionCommand {
  handler = Option.String("--handler", {
    description: "Only this handler, by its name in svc inbox show",
  })

  /** Acts on one event, or without `seq` on all held events. */
  async act(action: Decision, seq: string | undefined, isHeld = false): Promise<ExitCode> {
    const changed = await this.decide<Static<typeof InboxChanged>>({
      list: "inbox",
      action,
      named: seq,
      isHeld,
      question: "which event?",
      hint: `Name an event, as in svc inbox ${action} 42${action === "retry" ? "" : ", or use --held for all held events"}.`,
      body: isHeld || this.handler === undefined ? {} : {handler: this.handler},
    })
    this.show(
      changed,
      () => `${action}: ${counted(changed.handlers, "handler")} of ${counted(changed.events, "event")}`,
    )
    return exit.ok
  }
}
