import {Command, Option} from "clipanion"
import type {RunView} from "../../shared/api/scheduled/jobs.ts"
import {PageCommand} from "../kit/page-command.ts"
import {shorten, table} from "../kit/print.ts"

export class ScheduleRuns extends PageCommand {
  static override usage = Command.Usage({
    description: "list runs of scheduled jobs, newest first",
    details: "Needs a running Host.",
    examples: [
      ["The newest runs", "svc schedule runs"],
      ["Failed runs of one job", "svc schedule runs standup --state failed"],
    ],
  })

  job = Option.String({name: "job", required: false})
  state = Option.String("--state", {
    description: "Only runs in this state: queued, running, succeeded, failed, cancelled or skipped",
  })

  async run(): Promise<void> {
    const page = await this.page<RunView>("/api/runs", {job: this.job, state: this.state})
    this.show(page, () =>
      table(
        ["run", "job", "due", "trigger", "state", "reason", "error"],
        page.items.map(({runId, job, scheduledFor, trigger, state, reason, error}) => [
          runId,
          job,
          scheduledFor,
          trigger,
          state,
          reason ?? "",
          shorten(error ?? "", 60),
        ]),
      ),
    )
  }
}
