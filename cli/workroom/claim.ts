import {Command, Option} from "clipanion"
import {WorkItemCommand} from "../kit/workroom/item-command.ts"

export class WorkroomClaim extends WorkItemCommand {
  static override usage = Command.Usage({
    description: "assign a work item",
    details:
      "An open item becomes active, an active item gets a new assignee, and an item in review becomes active again.",
    examples: [
      ["For yourself", "svc workroom claim 12 --as user:ada"],
      ["For an agent", "svc workroom claim 12 --assignee agent:triage"],
    ],
  })

  assignee = Option.String("--assignee", {description: "user:<id> or agent:<name> (default: the actor of --as)"})

  run(): Promise<void> {
    return this.give("claim", {assignee: this.assignee})
  }
}
