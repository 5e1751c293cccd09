import {Command} from "clipanion"
import {shorten, table} from "../kit/print.ts"
import {describeSchedule, describeTarget, ScheduleCommand} from "../kit/schedule/command.ts"
import type {JobList} from "../kit/schedule/jobs-access.ts"

export class ScheduleList extends ScheduleCommand {
  static override usage = Command.Usage({
    description: "list the scheduled jobs",
    details: "If the Host is stopped, it lists the jobs in data/schedule-jobs.json, which the next start loads.",
    examples: [
      ["All jobs", "svc schedule list"],
      ["As JSON", "svc schedule list --json"],
    ],
  })

  async run(): Promise<void> {
    this.show(await (await this.jobs()).list(), describeJobs)
  }
}

const describeJobs = ({items, file}: JobList): string =>
  [
    ...(file.refused === null
      ? []
      : [
          `data/schedule-jobs.json is not in effect: ${file.refused.detail}`,
          ...(file.refused.issues ?? []).map(issue => `  ${issue}`),
        ]),
    items.length === 0
      ? "no jobs"
      : table(
          ["id", "on", "schedule", "timezone", "next", "target", "problem"],
          items.map(job => [
            job.id,
            job.enabled ? "yes" : "no",
            describeSchedule(job.schedule),
            job.timezone,
            job.nextAt ?? "never",
            shorten(describeTarget(job.target), 40),
            job.problem ?? "",
          ]),
        ),
  ].join("\n")
