import {Command, Option} from "clipanion"
import type {ExitCode} from "../../shared/exit.ts"
import {WorkItemCommand} from "../kit/workroom/item-command.ts"

export class WorkroomClaim extends WorkItemCommand {
  static override paths = [["workroom", "claim"]]
  static override usage = Command.Usage({
    description: "say who works on an item",
    details: "An open item becomes active; an active one changes hands; one in review goes back to work.",
    examples: [
      ["For oneself", "svc workroom claim 12 --as user:ada"],
      ["For an agent", "svc workroom claim 12 --assignee agent:triage"],
    ],
  })

  assignee = Option.String("--assignee", {description: "user:<id> or agent:<name>; who is named by --as when left out"})

  run(): Promise<ExitCode> {
    return this.give("claim", {assignee: this.assignee})
  }
}
