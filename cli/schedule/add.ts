import {Command, Option} from "clipanion"
import {settingsOf} from "../../shared/api/scheduled/job-settings.ts"
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

      --like takes everything that you do not name from another job.

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
        "A copy for another channel",
        "svc schedule add standup-b --like standup --endpoint sandbox --channel '#b' --text 'Soon!'",
      ],
      [
        "Once",
        "svc schedule add party --at 2027-05-01T17:00 --timezone America/New_York --endpoint sandbox --channel chat --text 'Now!'",
      ],
    ],
  })

  id = Option.String({name: "id"})

  like = Option.String("--like", {description: "A job to copy; what you name beside it replaces its own"})

  async run(): Promise<ExitCode> {
    const jobs = await this.jobs()
    const copied = this.like === undefined ? {} : settingsOf(await jobs.show(this.like))
    const {schedule, timezone, target, ...more}: Partial<Job> = {...copied, ...this.change()}
    if (!schedule || !timezone || !target) {
      const missing = [
        ...(schedule ? [] : ["--cron, --every or --at"]),
        ...(timezone ? [] : ["--timezone"]),
        ...(target ? [] : ["--endpoint, --plugin, --item or --agent"]),
      ]
      throw new Problem("request_invalid", `a job needs ${missing.join(" and ")}`, {hint: "svc schedule add --help"})
    }
    this.showJob(await jobs.add({...more, id: this.id, schedule, timezone, target}))
    return exit.ok
  }
}
