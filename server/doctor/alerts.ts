import {type AlertTarget, isAlerting, kindOf} from "../../shared/config/alerts.ts"
import type {ProjectConfig} from "../../shared/config/config.ts"
import type {OnceResult} from "../host/once/once.ts"
import {type Finding, ok, warning} from "./finding.ts"

const check = "alerts"

/** Checks the targets of alerts, and whether alerts can reach them. Sends nothing. */
export const checkAlerts = ({alerts}: Pick<ProjectConfig, "alerts">, tried: OnceResult): readonly Finding[] => {
  const {targets, heartbeat} = alerts
  if (!isAlerting(alerts)) return []
  const named = Object.entries(targets)
  const known = tried.committed ? tried.endpoints : undefined
  const findings = named.flatMap(([name, target]) => checkTarget(name, target, known))
  const names = named.map(([name]) => name).join(", ") || "none"
  if (findings.length === 0)
    findings.push(ok(check, `targets: ${names}; heartbeat: ${heartbeat === undefined ? "none" : "set"}`))
  return [...findings, ...checkLoneEndpoint(named), ...(heartbeat === undefined ? [noHeartbeat] : [])]
}

const noHeartbeat = ok(check, "no alerts.heartbeat: nobody gets an alert if the Host dies")

const checkTarget = (
  name: string,
  {endpoint, channel = ""}: AlertTarget,
  known: readonly string[] | undefined,
): Finding[] => {
  if (endpoint === undefined) return []
  if (known !== undefined && !known.includes(endpoint)) {
    const detail = `alerts.targets.${name} names the endpoint ${endpoint}, whose plugin is disabled`
    return [warning(check, detail, `Enable the plugin, or correct alerts.targets.${name}.endpoint`)]
  }
  if (channel.trim() === channel && !channel.startsWith("user:")) return []
  const detail = `alerts.targets.${name}.channel "${channel}" is not the id of a channel`
  return [warning(check, detail, channelRemedy)]
}

const channelRemedy =
  "Use the channel id that svc inbox list --json shows for a message there, without spaces around it"

/** Warns if all alerts use one endpoint: while that is offline, it cannot send the alert about itself. */
const checkLoneEndpoint = (targets: readonly (readonly [string, AlertTarget])[]): Finding[] => {
  const endpoints = new Set(targets.map(([, {endpoint}]) => endpoint))
  const [only] = endpoints
  if (endpoints.size !== 1 || only === undefined || targets.some(([, target]) => kindOf(target) !== "channel"))
    return []
  return [
    warning(
      check,
      `all targets are channels of ${only}: no alert arrives while it is offline`,
      "Add a target that uses another way: a webhook, a mail address, or a channel of another endpoint",
    ),
  ]
}
