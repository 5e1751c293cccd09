import {Command} from "clipanion"
import {WorkItemCommand} from "../kit/workroom/item-command.ts"

export class WorkroomAccept extends WorkItemCommand {
  static override usage = Command.Usage({
    description: "accept the work on an item in review: the item becomes done",
    details: "To send the item back to work instead, use svc workroom claim.",
    examples: [
      ["Accept the work", "svc workroom accept 12"],
      ["Only if the item has not changed since you read it", "svc workroom accept 12 --revision 7"],
    ],
  })

  run(): Promise<void> {
    return this.give("accept")
  }
}
