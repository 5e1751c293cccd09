import {Command, Option} from "clipanion"
import {WorkItemCommand} from "../kit/workroom/item-command.ts"

export class WorkroomCancel extends WorkItemCommand {
  static override usage = Command.Usage({
    description: "cancel a work item",
    details: "The reason is kept as a comment.",
    examples: [
      ["Without a reason", "svc workroom cancel 12"],
      ["With a reason", 'svc workroom cancel 12 "the printer was sold"'],
    ],
  })

  reason = Option.String({name: "reason", required: false})

  run(): Promise<void> {
    return this.give("cancel", {reason: this.reason})
  }
}
