import {Command, Option} from "clipanion"
import {timeFrom} from "../../shared/duration.ts"
import {Problem} from "../../shared/problems.ts"
import {WorkItemCommand} from "../kit/workroom/item-command.ts"

export class WorkroomBlock extends WorkItemCommand {
  static override usage = Command.Usage({
    description: "block an active work item, and name the reason",
    details: "Once --until has passed, the item is overdue, and the Host emits an event.",
    examples: [
      ["Without a deadline", 'svc workroom block 12 "waiting for the printer"'],
      ["With a deadline and an owner", 'svc workroom block 12 "waiting for parts" --until 2d --owner user:grace'],
    ],
  })

  reason = Option.String({name: "reason"})
  owner = Option.String("--owner", {description: "Who must remove the blocker: user:<id> or agent:<name>"})
  until = Option.String("--until", {description: "A date, a time in ISO 8601, or a time from now such as 12h or 2d"})

  run(): Promise<void> {
    const deadline = this.until === undefined ? undefined : timeFrom(this.until, Date.now())
    if (this.until !== undefined && deadline === undefined) {
      throw new Problem("request_invalid", `--until ${this.until} is not a time`, {
        hint: "Use a date such as 2030-01-31, a time in ISO 8601, or a time from now such as 12h or 2d.",
      })
    }
    return this.give("block", {reason: this.reason, owner: this.owner, deadline})
  }
}
