import {Command, Option} from "clipanion"
import type {OutboxView} from "../../shared/api/messages.ts"
import {SearchCommand} from "../kit/messages/search-command.ts"
import {shorten, table} from "../kit/print.ts"

export class OutboxList extends SearchCommand {
  static override usage = Command.Usage({
    description: "list outbox messages, newest first",
    examples: [
      ["The newest five", "svc outbox list --limit 5"],
      ["Dead letters", "svc outbox list --state dead"],
      ["Messages that a plugin sent today", "svc outbox list --plugin reminders --from 2026-01-31T00:00:00Z"],
      ["Messages that may have arrived or not", "svc outbox list --state unknown"],
    ],
  })

  state = Option.String("--state", {
    description: "Only messages in this state: queued, sending, sent, failed, dead, unknown, held or discarded",
  })

  async run(): Promise<void> {
    const page = await this.search<OutboxView>("/api/outbox", this.state)
    this.show(page, () => {
      const found = table(
        ["id", "created", "state", "attempt", "to", "text"],
        page.items.map(({id, createdAt, state, attempt, endpoint, channel, text}) => [
          id,
          createdAt,
          state,
          String(attempt),
          `${endpoint} ${channel}`,
          shorten(text, 60),
        ]),
      )
      return `${found}${this.furtherOf(page)}`
    })
  }
}
