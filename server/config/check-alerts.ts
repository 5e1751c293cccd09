import type {AlertSettings, AlertTarget, QuietSettings} from "../../shared/alerts/config.ts"
import type {Issue} from "../../shared/problems.ts"
import {isTimezone} from "../../shared/timezone.ts"
import type {Path, Source} from "./source.ts"

/** Checks what no single key of `alerts` can express: where each target sends, and the quiet hours. */
export const checkAlerts = (source: Source, {targets, quiet}: AlertSettings): Issue[] => [
  ...Object.entries(targets).flatMap(([name, target]) => checkTarget(source, ["alerts", "targets", name], target)),
  ...checkQuiet(source, quiet),
]

const checkTarget = (source: Source, at: Path, {endpoint, channel, webhook, email}: AlertTarget): Issue[] => {
  const isChannel = endpoint !== undefined || channel !== undefined
  const kinds = [isChannel, webhook !== undefined, email !== undefined].filter(Boolean).length
  if (kinds !== 1) return [source.issue(at, "needs exactly one of: endpoint with channel, webhook, email", "key")]
  if (isChannel && endpoint === undefined)
    return [source.issue([...at, "endpoint"], "is missing; a channel belongs to an endpoint", "key")]
  if (isChannel && channel === undefined)
    return [source.issue([...at, "channel"], "is missing; name the channel of the endpoint", "key")]
  const secret = webhook?.secret?.reveal()
  if (secret !== undefined && !isSigningSecret(secret))
    return [
      source.issue(
        [...at, "webhook", "secret"],
        "is not base64 of 24 to 64 bytes; use whsec_ followed by the output of openssl rand -base64 32",
      ),
    ]
  const {smtp} = email ?? {}
  if (smtp !== undefined && (smtp.user === undefined) !== (smtp.password === undefined))
    return [source.issue([...at, "email", "smtp"], "needs both user and password, or neither", "key")]
  return []
}

const isSigningSecret = (text: string): boolean => {
  const value = text.replace(/^whsec_/, "")
  const {length} = Buffer.from(value, "base64")
  return /^[A-Za-z0-9+/]+={0,2}$/.test(value) && value.length % 4 === 0 && length >= 24 && length <= 64
}

const checkQuiet = (source: Source, {zone, hours}: QuietSettings): Issue[] => [
  ...(isTimezone(zone) ? [] : [source.issue(["alerts", "quiet", "zone"], `there is no time zone "${zone}"`)]),
  ...hours.flatMap(({from, to}, index) =>
    from === to
      ? [
          source.issue(
            ["alerts", "quiet", "hours", index, "to"],
            "is the same time as from; for a whole day, use 00:00 to 24:00",
          ),
        ]
      : [],
  ),
]
