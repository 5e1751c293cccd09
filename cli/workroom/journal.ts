import {Command} from "clipanion"
import type {JournalRecord} from "../../shared/api/workroom.ts"
import {PageCommand} from "../kit/page-command.ts"
import {table} from "../kit/print.ts"

export class WorkroomJournal extends PageCommand {
  static override usage = Command.Usage({
    description: "list records of the workroom's Journal, newest first",
    details: "With --json each record has its full command, its hash and the hash of the previous record.",
    examples: [
      ["The newest five records", "svc workroom journal --limit 5"],
      ["Complete records, as JSON", "svc workroom journal --json"],
    ],
  })

  async run(): Promise<void> {
    const page = await this.page<JournalRecord>("/api/workroom/journal")
    this.show(page, () =>
      table(
        ["seq", "at", "actor", "item", "command", "hash"],
        page.items.map(({seq, at, actor, item, command, hash}) => [
          String(seq),
          at,
          actor,
          item === 0 ? "" : String(item),
          command.is,
          hash.slice(0, 12),
        ]),
      ),
    )
  }
}
