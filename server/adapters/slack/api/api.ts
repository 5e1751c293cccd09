import type * as WebApi from "@slack/web-api"
import {type CheckTools, fetchWhole, type Refusal, refused, retryAfter} from "../../../../shared/sdk/sdk.ts"
import {type AccountSettings, apiOf} from "./account.ts"
import {type Payload, payloadOf, textIn} from "./payload.ts"

/** Calls a method of the Web API. Throws the errors of `failureOf`, and those in `known` as `SlackError`. */
export type Ask = (method: string, args: Payload, signal: AbortSignal, known?: readonly string[]) => Promise<Payload>

/** An error that the caller handles, by Slack's name for it. */
export class SlackError extends Error {
  readonly error: string

  constructor(error: string) {
    super(`Slack answered ${error}`)
    this.error = error
  }
}

/** A silent logger, because the library logs the content of messages. */
export const quiet = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  setLevel: () => {},
  setName: () => {},
  getLevel: () => "error" as WebApi.LogLevel,
}

/** Returns options for a client whose calls end with the signal. */
export const clientOptions = (account: AccountSettings, signal: AbortSignal): WebApi.WebClientOptions => ({
  slackApiUrl: apiOf(account),
  logger: quiet,
  retryConfig: {retries: 0},
  rejectRateLimitedCalls: true,
  allowAbsoluteUrls: false,
  fetch: ((url, init) => fetchWhole(url, {...init, signal})) as typeof fetch,
})

/** Loads the library. Calls use the bot's token. */
export const openApi = async (account: AccountSettings, load: CheckTools["load"]): Promise<Ask> => {
  const {WebClient} = await load<typeof WebApi>("@slack/web-api")
  const token = account.botToken.reveal()
  return async (method, args, signal, known = []) => {
    // A client has one signal for all its calls.
    const client = new WebClient(token, clientOptions(account, signal))
    try {
      return payloadOf(await client.apiCall(method, {...args}))
    } catch (error) {
      if (signal.aborted) throw signal.reason
      const name = nameOf(error)
      throw name !== undefined && known.includes(name) ? new SlackError(name) : failureOf(error, method, botToken)
    }
  }
}

/** The remedies for a rejected token. */
export const botToken =
  "Set the variable that botToken names to the Bot User OAuth Token (xoxb-…), under OAuth & Permissions of the app."
export const appToken =
  "Create an app-level token (xapp-…) with connections:write under Basic Information, and set the variable that appToken names to it."

/** Errors about the token itself: nothing works until it is replaced. */
const credentials: ReadonlySet<string> = new Set([
  "invalid_auth",
  "not_authed",
  "token_revoked",
  "token_expired",
  "account_inactive",
  "not_allowed_token_type",
  "user_removed_from_team",
  "team_disabled",
  // While the workspace is moved to an enterprise grid.
  "org_login_required",
])

const passing: ReadonlySet<string> = new Set([
  "internal_error",
  "fatal_error",
  "service_unavailable",
  "request_timeout",
  "team_added_to_org",
  "accesslimited",
])

const invite = "Invite the bot to the channel (/invite @bot), or send elsewhere."
const remedies: Readonly<Record<string, string>> = {
  channel_not_found: "Send to the id of a channel of this workspace that the bot is in.",
  not_in_channel: invite,
  is_archived: "Unarchive the channel, or send elsewhere.",
  user_not_found: "Send to the id of a user of this workspace.",
  cannot_dm_bot: "Send to a person, or to a channel.",
  restricted_action: "A workspace administrator has restricted this: ask for permission, or send elsewhere.",
}

export const isCredentials = (error: unknown): boolean => (error as Partial<Refusal> | null)?.reason === "credentials"

/**
 * Returns Slack's name of an error; undefined for an error that is not Slack's. An invalid name means that something
 * else answered.
 */
const nameOf = (error: unknown): string | undefined => {
  const {code, data} = payloadOf(error)
  if (code !== "slack_webapi_platform_error") return undefined
  const name = textIn(payloadOf(data), "error")
  return name !== undefined && /^[a-z][a-z0-9_:.-]{0,80}$/i.test(name) ? name : "no_json"
}

/** Converts an error of the library for the Host: retry, wait, or give up. */
export const failureOf = (error: unknown, method: string, token: string): Error => {
  const {code, data, retryAfter: seconds, statusCode} = payloadOf(error)
  if (typeof seconds === "number") return retryAfter(seconds * 1000, `Slack rate-limits ${method}`)
  const name = nameOf(error)
  if (name === "ratelimited" || name === "rate_limited") return retryAfter(null, `Slack rate-limits ${method}`)
  if (name === "no_json") return new Error(`Slack's answer to ${method} is not JSON`)
  if (name !== undefined && passing.has(name)) return new Error(`Slack answered ${method} with ${name}`)
  if (name !== undefined && credentials.has(name))
    return refused(`Slack rejected the token: ${name}`, {
      passing: name === "org_login_required",
      reason: "credentials",
      remediation: token,
    })
  if (name === "missing_scope") return missingScope(method, textIn(payloadOf(data), "needed"))
  if (name !== undefined)
    return refused(`Slack answered ${method} with ${name}`, {
      passing: true,
      reason: name,
      remediation: remedies[name] ?? `See Slack's documentation: https://docs.slack.dev/reference/methods/${method}`,
    })
  if (code === "slack_webapi_http_error") return new Error(`Slack answered ${method} with status ${statusCode}`)
  const original = payloadOf(error).original ?? error
  // Without a valid header, the library reports the limit only in the text of its error.
  const why = original instanceof Error ? original.message : "no answer"
  if (why.startsWith("Retry header")) return retryAfter(null, `Slack rate-limits ${method}`)
  return new Error(`Slack did not answer ${method}: ${why}`)
}

export const whereScopes =
  "under OAuth & Permissions, Bot Token Scopes, of the app (https://api.slack.com/apps), then reinstall the app to the workspace."

const missingScope = (method: string, needed: string | undefined): Error =>
  refused(`the app lacks the scope for ${method}${needed === undefined ? "" : `: ${needed}`}`, {
    reason: "missing_scope",
    remediation: `Add ${needed ?? "the scope"} ${whereScopes}`,
  })
