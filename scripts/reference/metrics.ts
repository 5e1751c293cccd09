import {metrics, processMetrics} from "../../server/metrics/table.ts"
import {code, page, prose, table} from "./markdown.ts"

const intro = `\`GET /api/metrics\` answers them as Prometheus' text, for the demo token too; [monitoring](../monitoring.md) says how to scrape
it, and what to be alarmed at. Counters start at 0 with each run, but for those that are kept across restarts. Times are seconds since 1970.

Labels are bounded by the configuration and the program: never a user, a channel or a message. \`runtime_id\` stands on
\`svc_runtime_info\` alone: \`* on (job, instance) group_left (project, runtime_id) svc_runtime_info\` adds it to any other metric.`

const rowsOf = (some: typeof metrics | typeof processMetrics) =>
  Object.entries(some).map(([name, {type, labels, help}]) => [
    code(name),
    type,
    labels.map(code).join(", "),
    prose(help),
  ])

const headings = ["Metric", "Type", "Labels", "What it says"]

export const metricsPage = (): string =>
  page(
    "Metrics",
    intro,
    "## Of the Host",
    table(headings, rowsOf(metrics)),
    "## Of its process",
    "As prom-client's default metrics name them: those that are right on Bun and on Node. On Linux; elsewhere some are missing.",
    table(headings, rowsOf(processMetrics)),
  )
