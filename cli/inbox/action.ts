import {Option} from "clipanion"
import type {InboxChanged} from "../../shared/api.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {Problem} from "../../shared/problems.ts"
import type {Static} from "../../shared/type.ts"
import {connectHost} from "../host-client.ts"
import {DataCommand} from "../svc-command.ts"

type Changed = Static<typeof InboxChanged>

/** What the commands share that decide about handlers which have not handled their event. */
export abstract class InboxActionCommand extends DataCommand {
  handler = Option.String("--handler", {
    description: "Only this one of its handlers, by the name that svc inbox show gives",
  })

  /** `seq` is left out for everything that is held. */
  async act(action: "retry" | "release" | "discard", seq: string | undefined, isHeld = false): Promise<ExitCode> {
    if (isHeld === (seq !== undefined)) {
      throw new Problem(
        "request_invalid",
        isHeld ? `--held is instead of an event, and ${seq} is one` : "which event?",
        {
          hint: `Name an event, as in svc inbox ${action} 42${action === "retry" ? "" : ", or everything, with --held"}.`,
        },
      )
    }
    const host = await connectHost(this.folder)
    const which = isHeld ? "held" : encodeURIComponent(seq ?? "")
    const body = isHeld || this.handler === undefined ? {} : {handler: this.handler}
    const changed = await host.post<Changed>(`/api/inbox/${which}/${action}`, body)
    this.show(
      changed,
      () => `${action}: ${counted(changed.handlers, "handler")} of ${counted(changed.events, "event")}`,
    )
    return exit.ok
  }
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`
