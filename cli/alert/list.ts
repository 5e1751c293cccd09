import {Command} from "clipanion"
import type {AlertsView} from "../../shared/alerts/api.ts"
import {shorten, table} from "../kit/print.ts"
import {DataCommand} from "../kit/svc-command.ts"

export class AlertList extends DataCommand {
  static override usage = Command.Usage({
    description: "list the alerts that are in force or ended within a day, and the alert targets",
    details:
      "The targets are those under alerts in svc.config.yml. If a target waits, or its last message failed, the list shows the reason.",
    examples: [
      ["The alerts of the project in this folder", "svc alert list"],
      ["As JSON", "svc alert list --json"],
    ],
  })

  async run(): Promise<void> {
    this.show(await this.get<AlertsView>("/api/alerts"), describe)
  }
}

const describe = ({configured, items, targets, heartbeat}: AlertsView): string => {
  if (!configured) return "no alert is sent: alerts.targets in svc.config.yml names no target"
  const alerts =
    items.length === 0
      ? "no alert is in force, and none ended within a day"
      : table(["severity", "since", "until", "alert", "told"], items.map(rowOf))
  const beat =
    heartbeat === null
      ? []
      : [
          `heartbeat: ${heartbeat.stopped === null ? `sent ${heartbeat.lastSentAt ?? "never"}` : `stopped (${heartbeat.stopped})`}${heartbeat.lastFailure === null ? "" : `; failed ${heartbeat.lastFailure.at}: ${heartbeat.lastFailure.error}`}`,
        ]
  return [alerts, "", table(["target", "kind", "last sent", "due", "problem"], targets.map(targetRow)), ...beat].join(
    "\n",
  )
}

const rowOf = ({severity, since, until, title, told}: AlertsView["items"][number]) => [
  severity,
  since,
  until ?? "-",
  title,
  told.join(", ") || "-",
]

const targetRow = ({name, kind, lastSentAt, due, waiting, lastFailure}: AlertsView["targets"][number]) => [
  name,
  kind,
  lastSentAt ?? "never",
  String(due),
  shorten(waiting ?? lastFailure?.error ?? "-", 70),
]
