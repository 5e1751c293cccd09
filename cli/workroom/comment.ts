import {Command, Option} from "clipanion"
import {WorkItemCommand} from "../kit/workroom/item-command.ts"

export class WorkroomComment extends WorkItemCommand {
  static override usage = Command.Usage({
    description: "comment on a work item",
    examples: [["As a user", 'svc workroom comment 12 "the parts are on their way" --as user:grace']],
  })

  text = Option.String({name: "text"})

  run(): Promise<void> {
    return this.give("comment", {text: this.text})
  }
}
