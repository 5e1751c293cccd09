import {Command} from "clipanion"
import {WorkItemCommand} from "../kit/workroom/item-command.ts"

export class WorkroomUnblock extends WorkItemCommand {
  static override usage = Command.Usage({
    description: "unblock a blocked work item: it becomes active again",
    examples: [["After the blocker is resolved", "svc workroom unblock 12"]],
  })

  run(): Promise<void> {
    return this.give("unblock")
  }
}
