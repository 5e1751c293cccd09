import {Option} from "clipanion"
import type {NextTimes} from "../../shared/api/scheduled/jobs.ts"
import {Problem} from "../../shared/problems.ts"
import {table} from "../kit/print.ts"
import {rowCommand} from "../kit/rows.ts"
import {scheduleOf, timeOptions} from "../kit/schedule/command.ts"
import {openJobs} from "../kit/schedule/jobs-access.ts"
import type {DataCommand} from "../kit/svc-command.ts"

const options = {
  ...timeOptions,
  id: Option.String({name: "id", required: false}),
  count: Option.String("--count", "5", {description: "How many times to show, at most 100"}),
}

export const next = rowCommand({
  description: "show the next times of a scheduled job, or of a schedule to try",
  details: `
      Shows each time in the job's timezone, in this machine's timezone, and in UTC with jitter.

      To try a schedule without a job, use --cron, --every or --at with --timezone; nothing is stored.
    `,
  examples: [
    ["The next five times", "svc schedule next standup"],
    ["Across the next clock change", "svc schedule next standup --count 100"],
    ["Try a schedule before you add a job", "svc schedule next --cron '0 9 * * MON-FRI' --timezone Europe/London"],
  ],
  options,
  run: async call => call.show(await (call.id === undefined ? tried(call) : ofJob(call, call.id)), describeTimes),
})

type Call = DataCommand & typeof options

const ofJob = async (call: Call, id: string): Promise<NextTimes> => {
  if (scheduleOf(call) !== undefined || call.timezone !== undefined) {
    throw new Problem("request_invalid", "name a job or a schedule, not both", {hint: "svc schedule next --help"})
  }
  return (await openJobs(call)).next(id, Number(call.count))
}

const tried = async (call: Call): Promise<NextTimes> => {
  const {timezone, jitter, count} = call
  const schedule = scheduleOf(call)
  if (schedule === undefined || timezone === undefined) {
    throw new Problem("request_invalid", "name a job; or --cron, --every or --at, and --timezone", {
      hint: "svc schedule next --help",
    })
  }
  const job = {schedule, timezone, ...(jitter === undefined ? {} : {jitter})}
  const {next, findings} = await (await openJobs(call)).check(job, Number(count))
  if (next !== null) return next
  const about = findings.filter(({path}) => /^(schedule|timezone|jitter)/.test(path))
  throw new Problem("request_invalid", about.map(({path, message}) => `${path}: ${message}`).join("; "))
}

const describeTimes = ({timezone, items}: NextTimes): string => {
  if (items.length === 0) return "never"
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  return table(
    [timezone, `here (${own})`, "fires at"],
    items.map(({local, scheduledFor, firesAt}) => [local, new Date(scheduledFor).toLocaleString("sv-SE"), firesAt]),
  )
}
