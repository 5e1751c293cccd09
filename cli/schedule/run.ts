import {Command, Option} from "clipanion"
import {DataCommand} from "../kit/svc-command.ts"

export class ScheduleRun extends DataCommand {
  static override usage = Command.Usage({
    description: "run a scheduled job now, due or not",
    details: "Prints the run's id once the run is stored; svc schedule runs shows its result. Needs a running Host.",
    examples: [["Try a job", "svc schedule run standup"]],
  })

  id = Option.String({name: "id"})

  async run(): Promise<void> {
    const accepted = await this.post<{id: string}>(`/api/jobs/${encodeURIComponent(this.id)}/run`)
    this.show(accepted, () => accepted.id)
  }
}
