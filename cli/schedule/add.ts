import {Command, Option} from "clipanion"
import type {Job} from "../../shared/api/scheduled/jobs.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {Problem} from "../../shared/problems.ts"
import {JobCommand} from "../kit/schedule/command.ts"

export class ScheduleAdd extends JobCommand {
  static override paths = [["schedule", "add"]]
  static override usage = Command.Usage({
    description: "add a scheduled job",
    details: `
      Needs one of --cron, --every and --at; --timezone; and what to do: --endpoint, --channel and --text; or --plugin and --job; or --item; or --agent and
      --text, with --endpoint and --channel for the answer.

      The job is in data/schedule-jobs.json when this ends. Works with the Host stopped too: the next start takes it.
    `,
    examples: [
      [
        "A reminder on working days",
        "svc schedule add standup --cron '0 9 * * MON-FRI' --timezone Europe/London --endpoint sandbox --channel '#team' --text 'Stand-up in five minutes'",
      ],
      [
        "The job digest that the project's plugin team declares, every hour, made up for once after a stop",
        "svc schedule add digest --every 1h --timezone UTC --plugin team --job digest --missed once",
      ],
      [
        "An agent that is asked each morning, and answers in a channel",
        "svc schedule add morning --cron '0 8 * * *' --timezone Europe/London --agent helper --text 'What is open?' --endpoint sandbox --channel '#team'",
      ],
      [
        "Once",
        "svc schedule add party --at 2027-05-01T17:00 --timezone America/New_York --endpoint sandbox --channel chat --text 'Now!'",
      ],
    ],
  })

  id = Option.String({name: "id"})

  async run(): Promise<ExitCode> {
    const {schedule, timezone, target, ...more} = this.change()
    if (!schedule || !timezone || !target) {
      const missing = [
        ...(schedule ? [] : ["--cron, --every or --at"]),
        ...(timezone ? [] : ["--timezone"]),
        ...(target ? [] : ["--endpoint, --plugin, --item or --agent"]),
      ]
      throw new Problem("request_invalid", `a job needs ${missing.join(" and ")}`, {hint: "svc schedule add --help"})
    }
    const job = {id: this.id, ...more, schedule, timezone, target} as Job
    this.showJob(await (await this.jobs()).add(job))
    return exit.ok
  }
}
