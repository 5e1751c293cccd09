import {Command, Option} from "clipanion"
import {ScheduleCommand} from "../kit/schedule/command.ts"

export class ScheduleShow extends ScheduleCommand {
  static override usage = Command.Usage({
    description: "show one scheduled job: its next time, its target and the result of its last run",
    details: "If the Host is stopped, it shows the job from data/schedule-jobs.json, without the last run.",
    examples: [["A job that svc schedule list shows", "svc schedule show standup"]],
  })

  id = Option.String({name: "id"})

  async run(): Promise<void> {
    this.showJob(await (await this.jobs()).show(this.id))
  }
}
