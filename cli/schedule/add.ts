import {Command, Option} from "clipanion"
import {settingsOf} from "../../shared/api/scheduled/job-settings.ts"
import type {Job} from "../../shared/api/scheduled/jobs.ts"
import {Problem} from "../../shared/problems.ts"
import {describeJob, JobCommand} from "../kit/schedule/command.ts"
import {openJobs} from "../kit/schedule/jobs-access.ts"

export class ScheduleAdd extends JobCommand {
  static override usage = Command.Usage({
    description: "add a scheduled job",
    details: `
      Needs a time: one of --cron, --every and --at, with --timezone.

      Needs a target: --endpoint, --channel and --text for a message; --plugin and --job for a plugin's job; --item for a work item; or --agent and --text for an agent, with --endpoint and --channel for its answer.

      With --like, the options that you leave out come from another job.

      The command writes the job to data/schedule-jobs.json. It also works with the Host stopped: the next start loads the job.
    `,
    examples: [
      [
        "A reminder on working days",
        "svc schedule add standup --cron '0 9 * * MON-FRI' --timezone Europe/London --endpoint sandbox --channel '#team' --text 'Stand-up in five minutes'",
      ],
      [
        "The job digest of the plugin team every hour; runs missed during a stop are made up for once",
        "svc schedule add digest --every 1h --timezone UTC --plugin team --job digest --missed once",
      ],
      [
        "A question to an agent each morning, answered in a channel",
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

  like = Option.String("--like", {description: "The job to copy; other options override its settings"})

  async run(): Promise<void> {
    const jobs = await openJobs(this)
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
    this.show(await jobs.add({...more, id: this.id, schedule, timezone, target}), describeJob)
  }
}
