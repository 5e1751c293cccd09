import {Command, Option} from "clipanion"
import {ScheduleCommand} from "../kit/schedule/command.ts"

export class ScheduleRemove extends ScheduleCommand {
  static override usage = Command.Usage({
    description: "remove a scheduled job from the file",
    details: "svc schedule runs still lists its runs. Its queued runs are cancelled; a running one continues.",
    examples: [["One job", "svc schedule remove standup"]],
  })

  id = Option.String({name: "id"})
  revision = Option.String("--revision", {
    description: "The revision that you read; refused if the job has changed since",
  })

  async run(): Promise<void> {
    await (await this.jobs()).remove(this.id, this.revision === undefined ? {} : {expectedRevision: this.revision})
    this.show({id: this.id}, () => `removed ${this.id}`)
  }
}
