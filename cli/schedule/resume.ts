import {Command, Option} from "clipanion"
import {ScheduleCommand} from "../kit/schedule/command.ts"

export class ScheduleResume extends ScheduleCommand {
  static override usage = Command.Usage({
    description: "turn a scheduled job on",
    details: "The job does not make up for times that were due while it was off.",
    examples: [["Turn the job standup on", "svc schedule resume standup"]],
  })

  id = Option.String({name: "id"})

  async run(): Promise<void> {
    const job = await (await this.jobs()).edit(this.id, {enabled: true})
    this.showJob(job)
  }
}
