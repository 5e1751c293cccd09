import {Command, Option} from "clipanion"
import {timeFrom} from "../../shared/duration.ts"
import type {ExitCode} from "../../shared/exit.ts"
import {Problem} from "../../shared/problems.ts"
import {WorkItemCommand} from "../kit/workroom/item-command.ts"

export class WorkroomBlock extends WorkItemCommand {
  static override paths = [["workroom", "block"]]
  static override usage = Command.Usage({
    description: "say what an active work item waits for",
    details: "Once --until has passed, the item is overdue, and an event tells of it.",
    examples: [
      ["Without a deadline", 'svc workroom block 12 "waiting for the printer"'],
      ["With one, and who is to end it", 'svc workroom block 12 "waiting for parts" --until 2d --owner user:grace'],
    ],
  })

  reason = Option.String({name: "reason"})
  owner = Option.String("--owner", {description: "Who is to end it: user:<id> or agent:<name>"})
  until = Option.String("--until", {description: "A date, a time in ISO 8601, or a time from now such as 12h or 2d"})

  run(): Promise<ExitCode> {
    const deadline = this.until === undefined ? undefined : timeFrom(this.until, Date.now())
    if (this.until !== undefined && deadline === undefined) {
      throw new Problem("request_invalid", `--until ${this.until} is not a time`, {
        hint: "Give a date such as 2030-01-31, a time in ISO 8601, or a time from now such as 12h or 2d.",
      })
    }
    return this.give("block", {reason: this.reason, owner: this.owner, deadline})
  }
}
