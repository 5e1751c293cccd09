import {Command, Option} from "clipanion"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {ScheduleCommand} from "../kit/schedule/command.ts"

export class ScheduleRemove extends ScheduleCommand {
  static override paths = [["schedule", "remove"]]
  static override usage = Command.Usage({
    description: "take a scheduled job out of the file",
    details: "Its runs stay in svc schedule runs. Its queued runs are cancelled; one that runs goes on.",
    examples: [["One job", "svc schedule remove standup"]],
  })

  id = Option.String({name: "id"})
  revision = Option.String("--revision", {
    description: "The revision that you looked at; refused if the job has changed since",
  })

  async run(): Promise<ExitCode> {
    await (await this.jobs()).remove(this.id, this.revision === undefined ? {} : {expectedRevision: this.revision})
    this.show({id: this.id}, () => `${this.id} is removed`)
    return exit.ok
  }
}
