import {Command} from "clipanion"
import {WorkItemCommand} from "../kit/workroom/item-command.ts"

export class WorkroomReview extends WorkItemCommand {
  static override usage = Command.Usage({
    description: "submit an active work item for review",
    examples: [["Submit an item as a user", "svc workroom review 12 --as user:ada"]],
  })

  run(): Promise<void> {
    return this.give("review")
  }
}
