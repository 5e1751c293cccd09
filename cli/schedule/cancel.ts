import {Command, Option} from "clipanion"
import type {RunView} from "../../shared/api/scheduled/jobs.ts"
import {DataCommand} from "../kit/svc-command.ts"

export class ScheduleCancel extends DataCommand {
  static override usage = Command.Usage({
    description: "cancel a queued or running run",
    details: "The Host does not send the messages that the run has queued. Needs a running Host.",
    examples: [["A run that takes too long", "svc schedule cancel 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e"]],
  })

  runId = Option.String({name: "run"})

  async run(): Promise<void> {
    const run = await this.post<RunView>(`/api/runs/${encodeURIComponent(this.runId)}/cancel`)
    this.show(run, () => `${run.runId} of ${run.job} is ${run.state}`)
  }
}
