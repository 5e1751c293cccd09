import {Option, type Usage} from "clipanion"
import {describeIngress} from "../kit/ingress-view.ts"
import {getCommand, postCommand} from "../kit/rows.ts"

const change = (path: "/api/ingress/pause" | "/api/ingress/resume", usage: Usage) =>
  postCommand({
    ...usage,
    path,
    options: {reason: Option.String("--reason", "operator", {description: "operator or release"})},
    describe: describeIngress,
  })

export const pause = change("/api/ingress/pause", {
  description: "stop admitting events and accepting sends, until ingress is resumed",
  details: `
    The Host still handles the events that it has accepted and sends the messages in the outbox. Reads and probes still work, and readiness does not change. The pause survives restarts.

    Endpoints whose platform does not deliver again have a gap until ingress is open: svc inbox gaps.
  `,
  examples: [["Before a release", "svc ingress pause --reason release"]],
})

export const resume = change("/api/ingress/resume", {
  description: "remove one reason for the pause",
  details: "Ingress opens when the last reason for the pause is gone. The Host itself removes the reason disk.",
  examples: [["After the release", "svc ingress resume --reason release"]],
})

export const status = getCommand({
  description: "show whether ingress is open or paused, why, and since when",
  examples: [["The ingress of the project in this folder", "svc ingress status"]],
  path: "/api/ingress",
  describe: describeIngress,
})
