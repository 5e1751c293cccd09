import {type AlertCode, alertItems} from "../../../shared/alerts/items.ts"
import type {AlertRules} from "../../../shared/config/alerts.ts"
import {durationOf} from "../../../shared/duration.ts"

/** Something that is wrong now, in words. */
export interface Condition {
  readonly code: AlertCode
  /** What it is about, for a code that may be about several things. */
  readonly subject?: string
  readonly title: string
  readonly text: string
  readonly remediation: {readonly text: string; readonly command?: string}
  readonly endpoint?: string
  readonly runId?: string
  /** Since when, in milliseconds since 1970. When left out, since it was first seen. */
  readonly since?: number
  /** The value that `above` of the item limits. */
  readonly value?: number
}

/** What is wrong, and what is unknown. */
export interface Seen {
  readonly conditions: readonly Condition[]
  /** Codes that could not be checked: their alerts stay as they are. */
  readonly unknown: ReadonlySet<AlertCode>
}

/** Returns how the configuration raises an alert. `after` is in milliseconds. */
export const ruleOf = (code: AlertCode, rules: AlertRules) => {
  const item = alertItems[code]
  const own = rules[code]
  return {
    enabled: own?.enabled ?? true,
    severity: own?.severity ?? item.severity,
    after: durationOf(own?.for ?? item.for),
    above: own?.above ?? item.above,
    happens: item.happens === true,
  }
}

/** Does the rule apply, and is the value above its limit? */
export const counts = ({value}: Condition, {enabled, above}: ReturnType<typeof ruleOf>): boolean =>
  enabled && (value === undefined || above === undefined || value > above)

export const keyOf = ({code, subject}: Pick<Condition, "code" | "subject">): string =>
  subject === undefined ? code : `${code} ${subject}`
