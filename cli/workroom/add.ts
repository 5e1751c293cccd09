import {Command, Option} from "clipanion"
import type {Item} from "../../shared/api/workroom.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {connectHost} from "../kit/host-client.ts"
import {DataCommand} from "../kit/svc-command.ts"
import {lineOf} from "../kit/workroom/view.ts"

export class WorkroomAdd extends DataCommand {
  static override paths = [["workroom", "add"]]
  static override usage = Command.Usage({
    description: "add a work item",
    examples: [
      ["A plain one", 'svc workroom add "Renew the certificate"'],
      ["With more", 'svc workroom add "Renew the certificate" --priority high --label ops --assignee user:ada'],
    ],
  })

  title = Option.String({name: "title"})
  description = Option.String("--description", {description: "More about it"})
  priority = Option.String("--priority", {description: "low, normal (the default), high or urgent"})
  labels = Option.Array("--label", {description: "A label; more with another --label"})
  assignee = Option.String("--assignee", {description: "Who is to do it: user:<id> or agent:<name>"})
  as = Option.String("--as", {description: "Who adds it: user:<id> or agent:<name>; the operator when left out"})

  async run(): Promise<ExitCode> {
    const host = await connectHost(this.folder)
    const {title, description, priority, labels, assignee, as: actor} = this
    const item = await host.post<Item>("/api/workroom/items", {title, description, priority, labels, assignee, actor})
    this.show(item, () => lineOf(item))
    return exit.ok
  }
}
