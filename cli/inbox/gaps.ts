import {Command} from "clipanion"
import type {GapView} from "../../shared/api/endpoints.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import type {Static} from "../../shared/type.ts"
import {PageCommand} from "../kit/page-command.ts"
import {table} from "../kit/print.ts"

export class InboxGaps extends PageCommand {
  static override paths = [["inbox", "gaps"]]
  static override usage = Command.Usage({
    description: "list when endpoints were away whose platform does not deliver again, newest first",
    details:
      "What was said there between from and to may be missing from the inbox. A gap without to goes on. A planned one is a stop or a restart that an operator asked for. Where the platform has a history, backfill says whether all of it was fetched afterwards (filled) or not (partly). After a restore, a platform that forgets what was acknowledged has one too, from its checkpoint on.",
    examples: [["The newest five", "svc inbox gaps --limit 5"]],
  })

  async run(): Promise<ExitCode> {
    const page = await this.page<Static<typeof GapView>>("/api/inbox/gaps")
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
    return exit.ok
  }
}
