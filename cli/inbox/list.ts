import {Command, Option} from "clipanion"
import type {InboxView} from "../../shared/api/messages.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import type {Static} from "../../shared/type.ts"
import {PageCommand} from "../kit/page-command.ts"
import {shorten, table} from "../kit/print.ts"

export class InboxList extends PageCommand {
  static override paths = [["inbox", "list"]]
  static override usage = Command.Usage({
    description: "list inbox events, newest first",
    examples: [
      ["The newest five", "svc inbox list --limit 5"],
      ["What failed", "svc inbox list --state failed"],
    ],
  })

  state = Option.String("--state", {
    description: "Only with a handler that is pending, running, handled, failed, dead, held or discarded",
  })

  async run(): Promise<ExitCode> {
    const page = await this.page<Static<typeof InboxView>>("/api/inbox", {state: this.state})
    this.show(page, () =>
      table(
        ["seq", "received", "state", "endpoint", "user", "content"],
        page.items.map(({seq, receivedAt, state, endpoint, event}) => [
          String(seq),
          receivedAt,
          state,
          endpoint,
          event.user?.name ?? event.user?.id ?? "",
          shorten(event.button === undefined ? (event.message?.content ?? event.type) : event.type, 60),
        ]),
      ),
    )
    return exit.ok
  }
}
