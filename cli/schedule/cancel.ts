import {Command, Option} from "clipanion"
import type {RunView} from "../../shared/api/scheduled/jobs.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import type {Static} from "../../shared/type.ts"
import {connectHost} from "../kit/host-client.ts"
import {DataCommand} from "../kit/svc-command.ts"

export class ScheduleCancel extends DataCommand {
  static override paths = [["schedule", "cancel"]]
  static override usage = Command.Usage({
    description: "end a run that is queued or running",
    details: "What the run has queued is not sent. Needs a running Host.",
    examples: [["A run that takes too long", "svc schedule cancel 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e"]],
  })

  runId = Option.String({name: "run"})

  async run(): Promise<ExitCode> {
    const host = await connectHost(this.folder)
    const run = await host.post<Static<typeof RunView>>(`/api/runs/${encodeURIComponent(this.runId)}/cancel`)
    this.show(run, () => `${run.runId} of ${run.job} is ${run.state}`)
    return exit.ok
  }
}
