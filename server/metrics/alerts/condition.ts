import type {AlertRules} from "../../../shared/alerts/config.ts"
import {type AlertCode, alertItem, type Severity} from "../../../shared/alerts/items.ts"
import {durationOf} from "../../../shared/duration.ts"

/** What is wrong now, in words. */
export interface Condition {
  readonly code: AlertCode
  /** What it is about, where a code may be about several things. */
  readonly subject?: string
  readonly title: string
  readonly text: string
  readonly remediation: {readonly text: string; readonly command?: string}
  readonly endpoint?: string
  readonly runId?: string
  /** Since when, in milliseconds since 1970; since it was first seen when left out. */
  readonly since?: number
  /** What the item's `above` limits. */
  readonly value?: number
}

/** What is wrong, and what is not known. */
export interface Seen {
  readonly conditions: readonly Condition[]
  /** What could not be read: its alerts stay as they are. */
  readonly unknown: ReadonlySet<AlertCode>
}

/** How an alert is raised, as the configuration says. `after` in milliseconds. */
export interface Rule {
  readonly enabled: boolean
  readonly severity: Severity
  readonly after: number
  readonly above: number | undefined
  readonly happens: boolean
}

export const ruleOf = (code: AlertCode, rules: AlertRules): Rule => {
  const item = alertItem(code)
  const own = rules[code]
  return {
    enabled: own?.enabled ?? true,
    severity: own?.severity ?? item.severity,
    after: durationOf(own?.for ?? item.for),
    above: own?.above ?? item.above,
    happens: item.happens === true,
  }
}

/** Does a rule ask for it, and is it above its limit? */
export const counts = ({value}: Condition, {enabled, above}: Rule): boolean =>
  enabled && (value === undefined || above === undefined || value > above)

export const keyOf = ({code, subject}: Pick<Condition, "code" | "subject">): string =>
  subject === undefined ? code : `${code} ${subject}`
