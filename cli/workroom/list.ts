import {Command, Option} from "clipanion"
import type {Item} from "../../shared/api/workroom.ts"
import {PageCommand} from "../kit/page-command.ts"
import {shorten, table} from "../kit/print.ts"
import {blockerOf} from "../kit/workroom/view.ts"

export class WorkroomList extends PageCommand {
  static override usage = Command.Usage({
    description: "list work items, newest first",
    examples: [
      ["The newest items", "svc workroom list"],
      ["Blocked items", "svc workroom list --state blocked"],
      ["The items of one assignee", "svc workroom list --assignee user:ada"],
    ],
  })

  state = Option.String("--state", {
    description: "Only items in this state: open, active, blocked, review, done or cancelled",
  })
  assignee = Option.String("--assignee", {description: "Only items of user:<id> or agent:<name>"})
  label = Option.String("--label", {description: "Only items with this label"})

  async run(): Promise<void> {
    const {state, assignee, label} = this
    const page = await this.page<Item>("/api/workroom/items", {state, assignee, label})
    this.show(page, () =>
      table(
        ["item", "rev", "state", "priority", "assignee", "title", "waits for"],
        page.items.map(item => [
          String(item.id),
          String(item.revision),
          item.state,
          item.priority,
          item.assignee ?? "",
          shorten(item.title, 50),
          shorten(blockerOf(item), 50),
        ]),
      ),
    )
  }
}
