import {Command, Option} from "clipanion"
import type {NextTimes} from "../../shared/api/scheduled/jobs.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {table} from "../kit/print.ts"
import {ScheduleCommand} from "../kit/schedule/command.ts"

export class ScheduleNext extends ScheduleCommand {
  static override paths = [["schedule", "next"]]
  static override usage = Command.Usage({
    description: "show the coming times of a scheduled job",
    details: "On the clock of the job's timezone, on this machine's, and in UTC with jitter.",
    examples: [
      ["The next five", "svc schedule next standup"],
      ["Across the next clock change", "svc schedule next standup --count 100"],
    ],
  })

  id = Option.String({name: "id"})
  count = Option.String("--count", "5", {description: "How many, at most 100"})

  async run(): Promise<ExitCode> {
    const next = await (await this.jobs()).next(this.id, Number(this.count))
    this.show(next, () => describeTimes(next))
    return exit.ok
  }
}

const describeTimes = ({timezone, items}: NextTimes): string => {
  if (items.length === 0) return "never"
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  return table(
    [timezone, `here (${own})`, "fires at"],
    items.map(({local, scheduledFor, firesAt}) => [local, new Date(scheduledFor).toLocaleString("sv-SE"), firesAt]),
  )
}
