import {Command, Option} from "clipanion"
import type {GapView} from "../../shared/api.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import type {Static} from "../../shared/type.ts"
import {connectHost} from "../host-client.ts"
import {table} from "../print.ts"
import {DataCommand} from "../svc-command.ts"

export class InboxGaps extends DataCommand {
  static override paths = [["inbox", "gaps"]]
  static override usage = Command.Usage({
    description: "list when endpoints were away whose platform does not deliver again, newest first",
    details: "What was said there between from and to may be missing from the inbox. A gap without to goes on.",
    examples: [["The newest five", "svc inbox gaps --limit 5"]],
  })

  limit = Option.String("--limit", "20", {description: "How many"})
  cursor = Option.String("--cursor", {description: "Older than this: `next` of an earlier list"})

  async run(): Promise<ExitCode> {
    const host = await connectHost(this.folder)
    const cursor = this.cursor === undefined ? "" : `&cursor=${encodeURIComponent(this.cursor)}`
    const page = await host.get<{items: Static<typeof GapView>[]; next: string | null}>(
      `/api/inbox/gaps?limit=${encodeURIComponent(this.limit)}${cursor}`,
    )
    this.show(page, () =>
      table(
        ["endpoint", "from", "to", "reason"],
        page.items.map(({endpoint, from, to, reason}) => [endpoint, from, to ?? "not yet", reason]),
      ),
    )
    return exit.ok
  }
}
