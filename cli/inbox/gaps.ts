import {Command} from "clipanion"
import type {GapView} from "../../shared/api/endpoints.ts"
import {PageCommand} from "../kit/page-command.ts"
import {table} from "../kit/print.ts"

export class InboxGaps extends PageCommand {
  static override usage = Command.Usage({
    description: "list the intervals in which endpoints may have missed messages, newest first",
    details: `
      Messages sent there between from and to may be missing from the inbox. Only endpoints whose platform does not deliver again have gaps. A gap without to is still open. A planned gap is a stop or a restart that an operator requested.

      If the platform has a history, backfill says whether the Host fetched all of the gap afterwards (filled) or not (partly). After a restore, a platform that forgets acknowledged messages also has a gap, from the checkpoint on.
    `,
    examples: [["The newest five", "svc inbox gaps --limit 5"]],
  })

  async run(): Promise<void> {
    const page = await this.page<GapView>("/api/inbox/gaps")
    this.show(page, () =>
      table(
        ["endpoint", "from", "to", "reason", "planned", "backfill"],
        page.items.map(({endpoint, from, to, reason, planned, backfill}) => [
          endpoint,
          from,
          to ?? "not yet",
          reason,
          planned ? "yes" : "no",
          backfill ?? "-",
        ]),
      ),
    )
  }
}
