import type {OutboxChanged} from "../../shared/api.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {Problem} from "../../shared/problems.ts"
import type {Static} from "../../shared/type.ts"
import {connectHost} from "../host-client.ts"
import {DataCommand} from "../svc-command.ts"

/** What the commands share that decide about messages which were not sent. */
export abstract class OutboxActionCommand extends DataCommand {
  /** `id` is left out for everything that is held. */
  async act(action: "retry" | "release" | "discard", id: string | undefined, isHeld = false): Promise<ExitCode> {
    if (isHeld === (id !== undefined)) {
      throw new Problem(
        "request_invalid",
        isHeld ? `--held is instead of a message, and ${id} is one` : "which message?",
        {
          hint: `Name a message, as svc outbox list does${action === "retry" ? "" : ", or all that are held, with --held"}.`,
        },
      )
    }
    const host = await connectHost(this.folder)
    const which = isHeld ? "held" : encodeURIComponent(id ?? "")
    const changed = await host.post<Static<typeof OutboxChanged>>(`/api/outbox/${which}/${action}`)
    this.show(changed, () => `${action}: ${changed.messages} message${changed.messages === 1 ? "" : "s"}`)
    return exit.ok
  }
}
