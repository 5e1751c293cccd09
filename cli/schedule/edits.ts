import {Option} from "clipanion"
import {settingsOf} from "../../shared/api/scheduled/job-settings.ts"
import type {Job} from "../../shared/api/scheduled/jobs.ts"
import {Problem} from "../../shared/problems.ts"
import {rowCommand} from "../kit/rows.ts"
import {changeOf, describeJob, jobOptions} from "../kit/schedule/command.ts"
import {openJobs} from "../kit/schedule/jobs-access.ts"

export const add = rowCommand({
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
  options: {
    ...jobOptions,
    id: Option.String({name: "id"}),
    like: Option.String("--like", {description: "The job to copy; other options override its settings"}),
  },
  run: async call => {
    const jobs = await openJobs(call)
    const copied = call.like === undefined ? {} : settingsOf(await jobs.show(call.like))
    const {schedule, timezone, target, ...more}: Partial<Job> = {...copied, ...changeOf(call)}
    if (!schedule || !timezone || !target) {
      const missing = [
        ...(schedule ? [] : ["--cron, --every or --at"]),
        ...(timezone ? [] : ["--timezone"]),
        ...(target ? [] : ["--endpoint, --plugin, --item or --agent"]),
      ]
      throw new Problem("request_invalid", `a job needs ${missing.join(" and ")}`, {hint: "svc schedule add --help"})
    }
    call.show(await jobs.add({...more, id: call.id, schedule, timezone, target}), describeJob)
  },
})

export const edit = rowCommand({
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
  options: {
    ...jobOptions,
    id: Option.String({name: "id"}),
    clear: Option.Array("--clear", [], {description: "Remove label, jitter, missed or overlap; repeatable"}),
    revision: Option.String("--revision", {description: "The revision that you read; refused if it has changed since"}),
  },
  run: async call => {
    const change = changeOf(call)
    if (Object.keys(change).length === 0 && call.clear.length === 0) {
      throw new Problem("request_invalid", "name at least one change", {hint: "svc schedule edit --help"})
    }
    call.show(
      await (await openJobs(call)).edit(call.id, {
        ...change,
        ...(call.revision === undefined ? {} : {expectedRevision: call.revision}),
        ...(call.clear.length === 0 ? {} : {clear: call.clear as NonNullable<typeof change.clear>}),
      }),
      describeJob,
    )
  },
})
