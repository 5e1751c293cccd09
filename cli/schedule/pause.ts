import {Command, Option} from "clipanion"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {ScheduleCommand} from "../kit/schedule/command.ts"

export class SchedulePause extends ScheduleCommand {
  static override paths = [["schedule", "pause"]]
  static override usage = Command.Usage({
    description: "turn a scheduled job off",
    details:
      "The job stays in the file, turned off, until svc schedule resume. Its queued runs are cancelled; a running one continues.",
    examples: [["No stand-up in August", "svc schedule pause standup"]],
  })

  id = Option.String({name: "id"})

  async run(): Promise<ExitCode> {
    const job = await (await this.jobs()).edit(this.id, {enabled: false})
    this.showJob(job)
    return exit.ok
  }
}
