import {Command, Option} from "clipanion"
import {Problem} from "../../shared/problems.ts"
import {describeJob, JobCommand} from "../kit/schedule/command.ts"
import {openJobs} from "../kit/schedule/jobs-access.ts"

export class ScheduleEdit extends JobCommand {
  static override usage = Command.Usage({
    description: "change a scheduled job",
    details: `
      Changes only the settings that you name; schedule and target are each replaced completely. With a new schedule, the job does not make up for times that were due before.

      You may also edit data/schedule-jobs.json by hand: a running Host loads it within two seconds, or reports its errors.
    `,
    examples: [
      ["Half an hour later", "svc schedule edit standup --cron '30 9 * * MON-FRI'"],
      [
        "Only if the job has not changed since you read it",
        "svc schedule edit standup --text 'Ten minutes' --endpoint sandbox --channel chat --revision 4f1d…",
      ],
      ["Without jitter and label", "svc schedule edit standup --clear jitter --clear label"],
    ],
  })

  id = Option.String({name: "id"})
  clear = Option.Array("--clear", [], {description: "Remove label, jitter, missed or overlap; repeatable"})

  revision = Option.String("--revision", {
    description: "The revision that you read; refused if the job has changed since",
  })

  async run(): Promise<void> {
    const change = this.change()
    if (Object.keys(change).length === 0 && this.clear.length === 0) {
      throw new Problem("request_invalid", "name at least one change", {hint: "svc schedule edit --help"})
    }
    this.show(
      await (await openJobs(this)).edit(this.id, {
        ...change,
        ...(this.revision === undefined ? {} : {expectedRevision: this.revision}),
        ...(this.clear.length === 0 ? {} : {clear: this.clear as NonNullable<typeof change.clear>}),
      }),
      describeJob,
    )
  }
}
