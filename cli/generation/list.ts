import {Command, Option} from "clipanion"
import type {GenerationView} from "../../shared/api/system.ts"
import {table} from "../kit/print.ts"
import {DataCommand} from "../kit/svc-command.ts"

export class GenerationList extends DataCommand {
  static override usage = Command.Usage({
    description: "list the committed generations, newest first",
    examples: [["The newest ten", "svc generation list --limit 10"]],
  })

  limit = Option.String("--limit", "20", {description: "How many to list"})

  async run(): Promise<void> {
    const {items} = await this.get<{items: GenerationView[]}>(
      `/api/generations?limit=${encodeURIComponent(this.limit)}`,
    )
    this.show(items, () =>
      table(
        ["", "number", "committed", "configuration", "reason"],
        items.map(({current, pinned, number, committedAt, configSha256, reason}) => [
          pinned ? "pinned" : current ? "runs" : "",
          String(number),
          committedAt,
          configSha256.slice(0, 12),
          reason,
        ]),
      ),
    )
  }
}
