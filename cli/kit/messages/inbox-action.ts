import {Option} from "clipanion"
import type {InboxChanged} from "../../../shared/api/api.ts"
import {type ExitCode, exit} from "../../../shared/exit.ts"
import type {Static} from "../../../shared/type.ts"
import {connectHost} from "../host-client.ts"
import {counted} from "../print.ts"
import {selectionOf} from "../selection.ts"
import {DataCommand} from "../svc-command.ts"

type Changed = Static<typeof InboxChanged>

/** What the commands share that decide about handlers which have not handled their event. */
export abstract class InboxActionCommand extends DataCommand {
  handler = Option.String("--handler", {
    description: "Only this one of its handlers, by the name that svc inbox show gives",
  })

  /** `seq` is left out for everything that is held. */
  async act(action: "retry" | "release" | "discard", seq: string | undefined, isHeld = false): Promise<ExitCode> {
    const hint = `Name an event, as in svc inbox ${action} 42${action === "retry" ? "" : ", or everything, with --held"}.`
    const which = selectionOf("event", seq, isHeld, hint)
    const host = await connectHost(this.folder)
    const body = isHeld || this.handler === undefined ? {} : {handler: this.handler}
    const changed = await host.post<Changed>(`/api/inbox/${which}/${action}`, body)
    this.show(
      changed,
      () => `${action}: ${counted(changed.handlers, "handler")} of ${counted(changed.events, "event")}`,
    )
    return exit.ok
  }
}
