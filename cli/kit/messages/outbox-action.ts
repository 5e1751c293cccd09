import type {OutboxChanged} from "../../../shared/api/api.ts"
import {type ExitCode, exit} from "../../../shared/exit.ts"
import type {Static} from "../../../shared/type.ts"
import {connectHost} from "../host-client.ts"
import {counted} from "../print.ts"
import {selectionOf} from "../selection.ts"
import {DataCommand} from "../svc-command.ts"

/** What the commands share that decide about messages which were not sent. */
export abstract class OutboxActionCommand extends DataCommand {
  /** `id` is left out for everything that is held. */
  async act(action: "retry" | "release" | "discard", id: string | undefined, isHeld = false): Promise<ExitCode> {
    const hint = `Name a message, as svc outbox list does${action === "retry" ? "" : ", or all that are held, with --held"}.`
    const which = selectionOf("message", id, isHeld, hint)
    const host = await connectHost(this.folder)
    const changed = await host.post<Static<typeof OutboxChanged>>(`/api/outbox/${which}/${action}`)
    this.show(changed, () => `${action}: ${counted(changed.messages, "message")}`)
    return exit.ok
  }
}
