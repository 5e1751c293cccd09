import {Command} from "clipanion"
import type {ExitCode} from "../../shared/exit.ts"
import {WorkItemCommand} from "../kit/workroom/item-command.ts"

export class WorkroomAccept extends WorkItemCommand {
  static override paths = [["workroom", "accept"]]
  static override usage = Command.Usage({
    description: "accept the work on an item in review: it is done",
    details: "Work that is not accepted is claimed again.",
    examples: [
      ["It is done", "svc workroom accept 12"],
      ["Only as it was looked at", "svc workroom accept 12 --revision 7"],
    ],
  })

  run(): Promise<ExitCode> {
    return this.give("accept")
  }
}
