import type {OutboxChanged} from "../../../shared/api/messages.ts"
import {type ExitCode, exit} from "../../../shared/exit.ts"
import type {Static} from "../../../shared/type.ts"
import {counted} from "../print.ts"
import {type Decision, DecisionCommand} from "./decision.ts"

/** What the commands share that decide about messages which were not sent. */
export abstract class OutboxActionCommand extends DecisionCommand {
  /** `id` is left out for everything that is held. */
  async act(action: Decision, id: string | undefined, isHeld = false): Promise<ExitCode> {
    const changed = await this.decide<Static<typeof OutboxChanged>>({
      list: "outbox",
      action,
      named: id,
      isHeld,
      question: "which message?",
      hint: `Name a message, as svc outbox list does${action === "retry" ? "" : ", or all that are held, with --held"}.`,
    })
    this.show(changed, () => `${action}: ${counted(changed.messages, "message")}`)
    return exit.ok
  }
}
