import {Command, Option} from "clipanion"
import type {InboxView} from "../../shared/api.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import type {Static} from "../../shared/type.ts"
import {connectHost} from "../host-client.ts"
import {shorten, table} from "../print.ts"
import {DataCommand} from "../svc-command.ts"

export class InboxList extends DataCommand {
  static override paths = [["inbox", "list"]]
  static override usage = Command.Usage({
    description: "list inbox events, newest first",
    examples: [
      ["The newest five", "svc inbox list --limit 5"],
      ["What failed", "svc inbox list --state failed"],
    ],
  })

  limit = Option.String("--limit", "20", {description: "How many"})
  state = Option.String("--state", {
    description: "Only with a handler that is pending, running, handled, failed, dead, held or discarded",
  })
  cursor = Option.String("--cursor", {description: "Older than this: `next` of an earlier list"})

  async run(): Promise<ExitCode> {
    const host = await connectHost(this.folder)
    const cursor = this.cursor === undefined ? "" : `&cursor=${encodeURIComponent(this.cursor)}`
    const state = this.state === undefined ? "" : `&state=${encodeURIComponent(this.state)}`
    const page = await host.get<{items: Static<typeof InboxView>[]; next: string | null}>(
      `/api/inbox?limit=${encodeURIComponent(this.limit)}${state}${cursor}`,
    )
    this.show(page, () =>
      table(
        ["seq", "received", "state", "endpoint", "user", "content"],
        page.items.map(({seq, receivedAt, state, endpoint, event}) => [
          String(seq),
          receivedAt,
          state,
          endpoint,
          event.user?.name ?? event.user?.id ?? "",
          shorten(event.message?.content ?? event.type, 60),
        ]),
      ),
    )
    return exit.ok
  }
}
