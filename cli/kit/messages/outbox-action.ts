import type {OutboxChanged} from "../../../shared/api/messages.ts"
import {type ExitCode, exit} from "../../../shared/exit.ts"
import type {Static} from "../../../shared/type.ts"
import {counted} from "../print.ts"
import {type Decision, DecisionCommand} from "./decision.ts"

/** The base of the commands that decide about messages that were not sent. */
export abstract class OutboxActionCommand extends DecisionCommand {
  /** Acts on one message, or without `id` on all held messages. */
  async act(action: Decision, id: string | undefined, isHeld = false): Promise<ExitCode> {
    const changed = await this.decide<Static<typeof OutboxChanged>>({
      list: "outbox",
      action,
      named: id,
      isHeld,
      question: "which message?",
      hint: `Name a message that svc outbox list shows${action === "retry" ? "" : ", or use --held for all held messages"}.`,
    })
    this.show(changed, () => `${action}: ${counted(changed.messages, "message")}`)
    return exit.ok
  }
}
