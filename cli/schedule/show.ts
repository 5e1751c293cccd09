import {Command, Option} from "clipanion"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {ScheduleCommand} from "../kit/schedule/command.ts"

export class ScheduleShow extends ScheduleCommand {
  static override paths = [["schedule", "show"]]
  static override usage = Command.Usage({
    description: "show one scheduled job: when it fires, what it does, how it last ended",
    details: "With the Host stopped, as data/schedule-jobs.json has it, without the last run.",
    examples: [["A job of svc schedule list", "svc schedule show standup"]],
  })

  id = Option.String({name: "id"})

  async run(): Promise<ExitCode> {
    this.showJob(await (await this.jobs()).show(this.id))
    return exit.ok
  }
}
