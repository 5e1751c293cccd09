import {Command, Option} from "clipanion"
import type {OutboxView} from "../../shared/api.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import type {Static} from "../../shared/type.ts"
import {connectHost} from "../host-client.ts"
import {shorten, table} from "../print.ts"
import {DataCommand} from "../svc-command.ts"

export class OutboxList extends DataCommand {
  static override paths = [["outbox", "list"]]
  static override usage = Command.Usage({
    description: "list outbox messages, newest first",
    examples: [
      ["The newest five", "svc outbox list --limit 5"],
      ["The dead letters", "svc outbox list --state dead"],
      ["What may or may not have arrived", "svc outbox list --state unknown"],
    ],
  })

  limit = Option.String("--limit", "20", {description: "How many"})
  state = Option.String("--state", {
    description: "Only queued, sending, sent, failed, dead, unknown, held or discarded ones",
  })
  cursor = Option.String("--cursor", {description: "Older than this: `next` of an earlier list"})

  async run(): Promise<ExitCode> {
    const host = await connectHost(this.folder)
    const cursor = this.cursor === undefined ? "" : `&cursor=${encodeURIComponent(this.cursor)}`
    const state = this.state === undefined ? "" : `&state=${encodeURIComponent(this.state)}`
    const page = await host.get<{items: Static<typeof OutboxView>[]; next: string | null}>(
      `/api/outbox?limit=${encodeURIComponent(this.limit)}${state}${cursor}`,
    )
    this.show(page, () =>
      table(
        ["id", "created", "state", "attempt", "to", "text"],
        page.items.map(({id, createdAt, state, attempt, endpoint, channel, text}) => [
          id,
          createdAt,
          state,
          String(attempt),
          `${endpoint} ${channel}`,
          shorten(text, 60),
        ]),
      ),
    )
    return exit.ok
  }
}
