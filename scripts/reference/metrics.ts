import {metrics, processMetrics} from "../../shared/metrics/table.ts"
import {code, page, prose, table} from "./markdown.ts"

const intro = `\`GET /api/metrics\` returns these in Prometheus' text format, also to the demo token; [monitoring](../monitoring.md) says how to scrape
them, and which alarms to set. Counters start at 0 with each run, except those that the Host keeps across restarts. Times are seconds since 1970.

Labels are bounded by the configuration and the program: never a user, a channel or a message. \`runtime_id\` is a label of
\`svc_runtime_info\` alone: \`* on (job, instance) group_left (project, runtime_id) svc_runtime_info\` adds it to any other metric.`

const rowsOf = (some: typeof metrics | typeof processMetrics) =>
  Object.entries(some).map(([name, {type, labels, help}]) => [
    code(name),
    type,
    labels.map(code).join(", "),
    prose(help),
  ])

const headings = ["Metric", "Type", "Labels", "Meaning"]

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
