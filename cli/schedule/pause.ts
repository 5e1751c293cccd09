import {Command, Option} from "clipanion"
import {ScheduleCommand} from "../kit/schedule/command.ts"

export class SchedulePause extends ScheduleCommand {
  static override usage = Command.Usage({
    description: "turn a scheduled job off",
    details:
      "The job stays in the file, turned off, until svc schedule resume. Its queued runs are cancelled; a running one continues.",
    examples: [["No stand-up in August", "svc schedule pause standup"]],
  })

  id = Option.String({name: "id"})

  async run(): Promise<void> {
    const job = await (await this.jobs()).edit(this.id, {enabled: false})
    this.showJob(job)
  }
}
