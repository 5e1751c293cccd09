import {Command, Option} from "clipanion"
import type {InboxView} from "../../shared/api/messages.ts"
import {SearchCommand} from "../kit/messages/search-command.ts"
import {shorten, table} from "../kit/print.ts"

export class InboxList extends SearchCommand {
  static override usage = Command.Usage({
    description: "list inbox events, newest first",
    examples: [
      ["The newest five", "svc inbox list --limit 5"],
      ["Events with a failed handler", "svc inbox list --state failed"],
      ["Events of one user", "svc inbox list --user ann"],
    ],
  })

  state = Option.String("--state", {
    description: "Only events with a handler in this state: pending, running, handled, failed, dead, held or discarded",
  })

  async run(): Promise<void> {
    const page = await this.search<InboxView>("/api/inbox", this.state)
    this.show(page, () => {
      const found = table(
        ["seq", "received", "state", "endpoint", "user", "content"],
        page.items.map(({seq, receivedAt, state, endpoint, event}) => [
          String(seq),
          receivedAt,
          state,
          endpoint,
          event.user?.name ?? event.user?.id ?? "",
          shorten(event.button === undefined ? (event.message?.content ?? event.type) : event.type, 60),
        ]),
      )
      return `${found}${this.furtherOf(page)}`
    })
  }
}
