import {Command} from "clipanion"
import type {ExitCode} from "../../shared/exit.ts"
import {WorkItemCommand} from "../kit/workroom/item-command.ts"

export class WorkroomReview extends WorkItemCommand {
  static override paths = [["workroom", "review"]]
  static override usage = Command.Usage({
    description: "hand an active work item in for review",
    examples: [["It is ready to be looked at", "svc workroom review 12 --as user:ada"]],
  })

  run(): Promise<ExitCode> {
    return this.give("review")
  }
}
