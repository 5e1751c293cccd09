import {Option} from "clipanion"
import type {AlertsView} from "../../shared/alerts/api.ts"
import {shorten} from "../kit/print.ts"
import {getCommand, postCommand, tableOf} from "../kit/rows.ts"

export const list = getCommand({
  description: "list the alerts that are in force or ended within a day, and the alert targets",
  details:
    "The targets are those under alerts in svc.config.yml. If a target waits, or its last message failed, the list shows the reason.",
  examples: [
    ["The alerts of the project in this folder", "svc alert list"],
    ["As JSON", "svc alert list --json"],
  ],
  path: "/api/alerts",
  describe: ({configured, items, targets, heartbeat}) => {
    if (!configured) return "no alert is sent: alerts.targets in svc.config.yml names no target"
    const alerts =
      items.length === 0
        ? "no alert is in force, and none ended within a day"
        : tableOf(
            {
              severity: ({severity}) => severity,
              since: ({since}) => since,
              until: ({until}) => until ?? "-",
              alert: ({title}) => title,
              told: ({told}) => told.join(", ") || "-",
            },
            items,
          )
    const told = tableOf(
      {
        target: ({name}) => name,
        kind: ({kind}) => kind,
        "last sent": ({lastSentAt}) => lastSentAt ?? "never",
        due: ({due}) => due,
        problem: ({waiting, lastFailure}) => shorten(waiting ?? lastFailure?.error ?? "-", 70),
      },
      targets,
    )
    return [alerts, "", told, ...(heartbeat === null ? [] : [describeBeat(heartbeat)])].join("\n")
  },
})

const describeBeat = ({stopped, lastSentAt, lastFailure}: NonNullable<AlertsView["heartbeat"]>): string => {
  const state = stopped === null ? `sent ${lastSentAt ?? "never"}` : `stopped (${stopped})`
  return `heartbeat: ${state}${lastFailure === null ? "" : `; failed ${lastFailure.at}: ${lastFailure.error}`}`
}

export const test = postCommand({
  description: "send a test alert to one target or to all, and print the results",
  details: `
    The running Host sends the test at once, even in quiet hours. The command exits 1 if a target did not accept it.

    For a channel, accepted means stored in the outbox: svc outbox list shows whether the platform accepted the message.
  `,
  examples: [
    ["To all targets", "svc alert test"],
    ["To one target", "svc alert test ops"],
  ],
  options: {target: Option.String({required: false, name: "target"})},
  path: "/api/alerts/test",
  describe: ({items}) =>
    tableOf({target: ({target}) => target, "": ({ok}) => (ok ? "ok" : "failed"), result: ({detail}) => detail}, items),
  isOk: ({items}) => items.every(({ok}) => ok),
})
