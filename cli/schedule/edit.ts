import {Command, Option} from "clipanion"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {Problem} from "../../shared/problems.ts"
import {JobCommand} from "../kit/schedule/command.ts"

export class ScheduleEdit extends JobCommand {
  static override paths = [["schedule", "edit"]]
  static override usage = Command.Usage({
    description: "change a scheduled job",
    details: `
      Changes what is named; schedule and target are replaced as a whole. With another schedule, what was due before counts as considered.

      data/schedule-jobs.json may be edited by hand as well: a running Host takes it within a second or two, or says what is wrong with it.
    `,
    examples: [
      ["Half an hour later", "svc schedule edit standup --cron '30 9 * * MON-FRI'"],
      [
        "Only as you looked at it",
        "svc schedule edit standup --text 'Ten minutes' --endpoint sandbox --channel chat --revision 4f1d…",
      ],
      ["Without jitter and label", "svc schedule edit standup --clear jitter --clear label"],
    ],
  })

  id = Option.String({name: "id"})
  clear = Option.Array("--clear", [], {description: "Take out label, jitter, missed or overlap"})

  revision = Option.String("--revision", {
    description: "The revision that it is made against; refused if the job has changed since",
  })

  async run(): Promise<ExitCode> {
    const change = this.change()
    if (Object.keys(change).length === 0 && this.clear.length === 0) {
      throw new Problem("request_invalid", "nothing is to be changed", {hint: "svc schedule edit --help"})
    }
    this.showJob(
      await (await this.jobs()).edit(this.id, {
        ...change,
        ...(this.revision === undefined ? {} : {expectedRevision: this.revision}),
        ...(this.clear.length === 0 ? {} : {clear: this.clear as NonNullable<typeof change.clear>}),
      }),
    )
    return exit.ok
  }
}
