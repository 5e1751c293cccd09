import {Command, Option} from "clipanion"
import type {Item} from "../../shared/api/workroom.ts"
import {DataCommand} from "../kit/svc-command.ts"
import {lineOf} from "../kit/workroom/view.ts"

export class WorkroomAdd extends DataCommand {
  static override usage = Command.Usage({
    description: "add a work item",
    examples: [
      ["With a title only", 'svc workroom add "Renew the certificate"'],
      [
        "With priority, label and assignee",
        'svc workroom add "Renew the certificate" --priority high --label ops --assignee user:ada',
      ],
    ],
  })

  title = Option.String({name: "title"})
  description = Option.String("--description", {description: "The description"})
  priority = Option.String("--priority", {description: "low, normal (the default), high or urgent"})
  labels = Option.Array("--label", {description: "A label; repeatable"})
  assignee = Option.String("--assignee", {description: "The assignee: user:<id> or agent:<name>"})
  as = Option.String("--as", {description: "The author: user:<id> or agent:<name> (default: the operator)"})

  async run(): Promise<void> {
    const {title, description, priority, labels, assignee, as: actor} = this
    this.show(
      await this.post<Item>("/api/workroom/items", {title, description, priority, labels, assignee, actor}),
      lineOf,
    )
  }
}
