import type {AlertTarget} from "../../shared/alerts/config.ts"
import {isAlerting, kindOf} from "../../shared/alerts/config.ts"
import type {ProjectConfig} from "../../shared/config.ts"
import type {OnceResult} from "../offline/once.ts"
import {type Finding, ok, warning} from "./finding.ts"

const check = "alerts"

/** Who is told of alerts, and whether they can be reached. Nothing is sent. */
export const checkAlerts = ({alerts}: Pick<ProjectConfig, "alerts">, tried: OnceResult): readonly Finding[] => {
  const {targets, heartbeat} = alerts
  if (!isAlerting(alerts)) return []
  const named = Object.entries(targets)
  const known = tried.committed ? tried.endpoints : undefined
  const findings = named.flatMap(([name, target]) => checkTarget(name, target, known))
  if (findings.length === 0)
    findings.push(
      ok(
        check,
        `told: ${named.map(([name]) => name).join(", ") || "nobody"}; heartbeat: ${heartbeat === undefined ? "none" : "set"}`,
      ),
    )
  return [...findings, ...checkLoneEndpoint(named), ...(heartbeat === undefined ? [noHeartbeat] : [])]
}

const noHeartbeat = ok(check, "no alerts.heartbeat: a Host that is dead tells nobody")

const checkTarget = (
  name: string,
  {endpoint, channel = ""}: AlertTarget,
  known: readonly string[] | undefined,
): Finding[] => {
  if (endpoint === undefined) return []
  if (known !== undefined && !known.includes(endpoint))
    return [
      warning(
        check,
        `alerts.targets.${name} names the endpoint ${endpoint}, which no plugin has`,
        `Correct alerts.targets.${name}.endpoint; there are: ${known.join(", ") || "none"}`,
      ),
    ]
  if (channel.trim() !== channel || channel.startsWith("user:"))
    return [
      warning(
        check,
        `alerts.targets.${name}.channel "${channel}" is no id of a channel`,
        "Name the id that svc inbox list --json shows for a message there, without spaces around it",
      ),
    ]
  return []
}

/** What an endpoint cannot send, it cannot tell of itself. */
const checkLoneEndpoint = (targets: readonly (readonly [string, AlertTarget])[]): Finding[] => {
  const endpoints = new Set(targets.map(([, {endpoint}]) => endpoint))
  const [only] = endpoints
  if (endpoints.size !== 1 || only === undefined || targets.some(([, target]) => kindOf(target) !== "channel"))
    return []
  return [
    warning(
      check,
      `all targets are channels of ${only}: nobody is told while it is offline`,
      "Name a target that takes another way: a webhook, an address of mail, a channel of another endpoint",
    ),
  ]
}
